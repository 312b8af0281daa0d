package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

var (
	errProxyEnvironment = errors.New("no proxy can be chosen: HTTPS_PROXY or HTTP_PROXY is no URL")
	errProxyURL         = errors.New("no proxy can be chosen: its URL must begin with http://, https://, socks5:// or socks5h:// and name a host")
	errProxyName        = errors.New("no proxy can be chosen: its name is not ASCII")
)

// proxied chooses a proxy as the config says. What the environment's fails with
// may hold the password of a proxy, and is not repeated.
//
// Package net/http would shake hands with an https proxy as it does with the
// server: by the server's name, with the client's certificate, and trusting
// nobody but the server's authorities. So it is told of a plain proxy, and
// what is dialled there is made secure before net/http gets it.
func (d *dialer) proxied(config *Config) func(*http.Request) (*url.URL, error) {
	choose := config.Proxy
	if choose == nil {
		choose = environmentProxy
	}
	return func(request *http.Request) (*url.URL, error) {
		through, err := choose(request)
		switch {
		case err == errProxyEnvironment:
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("no proxy can be chosen: Config.Proxy: %w", withoutURL(err))
		case through == nil:
			return nil, nil
		case through.Hostname() == "":
			return nil, errProxyURL
		case through.Scheme == "http":
			return through, nil
		}
		for _, r := range through.Hostname() {
			if r >= 0x80 {
				return nil, errProxyName // net/http would dial another address than the one that is kept
			}
		}
		switch through.Scheme {
		case "socks5", "socks5h":
			port := through.Port()
			if port == "" {
				port = "1080"
			}
			d.expect("socks5", net.JoinHostPort(through.Hostname(), port))
			return through, nil
		case "https":
			address := net.JoinHostPort(through.Hostname(), portOf(through))
			d.expect("https", address)
			return &url.URL{Scheme: "http", Host: address, User: through.User}, nil
		}
		return nil, errProxyURL
	}
}

func environmentProxy(request *http.Request) (*url.URL, error) {
	through, err := http.ProxyFromEnvironment(request)
	if err != nil {
		return nil, errProxyEnvironment
	}
	return through, nil
}

// expect remembers what stands at an address.
func (d *dialer) expect(scheme, address string) {
	d.mu.Lock()
	d.proxies[address] = scheme
	d.mu.Unlock()
}

// proxyConn shakes hands on a connection to an https proxy, bounds how long
// net/http shakes them with a SOCKS5 proxy, and hands on any other as it is.
func (d *dialer) proxyConn(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	d.mu.Lock()
	scheme := d.proxies[address]
	d.mu.Unlock()
	switch scheme {
	case "socks5":
		return newSOCKSConn(conn, d.handshake), nil
	case "https":
	default:
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.handshake)
	defer cancel()
	config := d.proxyTLS.Clone()
	config.ServerName, _, _ = net.SplitHostPort(address)
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}
