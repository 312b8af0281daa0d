package transport

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
	errProxyEnvironment = errors.New("no proxy can be chosen: HTTPS_PROXY or HTTP_PROXY is not a URL")
	errProxyURL         = errors.New("no proxy can be chosen: its URL must begin with http://, https://, socks5:// or socks5h:// and name a host")
	errProxyName        = errors.New("no proxy can be chosen: its name is not ASCII")
)

// proxyFunc returns the function that chooses a proxy. The error of an invalid
// environment variable is not quoted: it may contain the proxy's password.
//
// Package net/http would use the TLS configuration of the server for an https
// proxy: its ServerName, the client's certificate, and only the server's
// certificate authorities. So it is given an http proxy, and the dialer makes the
// TLS connection to the proxy.
func (d *dialer) proxyFunc(config *Config) func(*http.Request) (*url.URL, error) {
	choose := config.Proxy
	if choose == nil {
		choose = environmentProxy
	}
	return func(request *http.Request) (*url.URL, error) {
		proxyURL, err := choose(request)
		switch {
		case err == errProxyEnvironment:
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("no proxy can be chosen: Config.Proxy: %w", WithoutURL(err))
		case proxyURL == nil:
			return nil, nil
		case proxyURL.Hostname() == "":
			return nil, errProxyURL
		case proxyURL.Scheme == "http":
			return proxyURL, nil
		}
		for _, r := range proxyURL.Hostname() {
			if r >= 0x80 {
				return nil, errProxyName // net/http would dial another address than the recorded one
			}
		}
		switch proxyURL.Scheme {
		case "socks5", "socks5h":
			port := proxyURL.Port()
			if port == "" {
				port = "1080"
			}
			d.rememberProxy("socks5", net.JoinHostPort(proxyURL.Hostname(), port))
			return proxyURL, nil
		case "https":
			address := net.JoinHostPort(proxyURL.Hostname(), portOf(proxyURL))
			d.rememberProxy("https", address)
			return &url.URL{Scheme: "http", Host: address, User: proxyURL.User}, nil
		}
		return nil, errProxyURL
	}
}

func environmentProxy(request *http.Request) (*url.URL, error) {
	proxyURL, err := http.ProxyFromEnvironment(request)
	if err != nil {
		return nil, errProxyEnvironment
	}
	return proxyURL, nil
}

// rememberProxy records the scheme of a proxy.
func (d *dialer) rememberProxy(scheme, address string) {
	d.mu.Lock()
	d.proxies[address] = scheme
	d.mu.Unlock()
}

// proxyConn makes the TLS handshake with an https proxy, bounds the handshake that
// net/http makes with a SOCKS5 proxy, and returns any other connection as it is.
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
	tlsConn := tls.Client(conn, config)
	if err := tlsConn.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return tlsConn, nil
}
