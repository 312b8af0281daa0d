package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
)

var (
	errProxy     = errors.New("no proxy can be chosen: Config.Proxy failed, or HTTPS_PROXY or HTTP_PROXY is no URL")
	errProxyName = errors.New("the name of the https proxy is not ASCII")
)

// proxied chooses a proxy as the config says. What that fails with may hold the
// password of a proxy, and is not repeated.
//
// Package net/http would shake hands with an https proxy as it does with the
// server: by the server's name, with the client's certificate, and trusting
// nobody but the server's authorities. So it is told of a plain proxy, and
// what is dialled there is made secure before net/http gets it.
func (d *dialer) proxied(config *Config) func(*http.Request) (*url.URL, error) {
	choose := config.Proxy
	if choose == nil {
		choose = http.ProxyFromEnvironment
	}
	return func(request *http.Request) (*url.URL, error) {
		through, err := choose(request)
		if err != nil {
			return nil, errProxy
		}
		if through == nil || through.Scheme != "https" {
			return through, nil
		}
		for _, r := range through.Hostname() {
			if r >= 0x80 {
				return nil, errProxyName // net/http would dial another address than the one that is kept
			}
		}
		address := net.JoinHostPort(through.Hostname(), portOf(through))
		d.mu.Lock()
		d.secure[address] = struct{}{}
		d.mu.Unlock()
		return &url.URL{Scheme: "http", Host: address, User: through.User}, nil
	}
}

// secured shakes hands on a connection to an https proxy, and hands on any
// other as it is.
func (d *dialer) secured(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	d.mu.Lock()
	_, secure := d.secure[address]
	d.mu.Unlock()
	if !secure {
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
