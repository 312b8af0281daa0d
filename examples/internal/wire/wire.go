// Package wire lets the examples observe the bytes of connections to a server, without
// TLS.
package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/thinformer/thinformer/rest"
)

// Open returns a config that sends requests over connections that observe returns: the
// transport does not use TLS, the connections below the observed ones do. Client
// certificates and tokens work; proxies, and credential plugins that return
// certificates, do not. The caller must close the transport's connections. The config
// has the transport, which the caller may wrap.
func Open(config *rest.Config, http2 bool, observe func(net.Conn) net.Conn) (*rest.Config, *http.Transport, error) {
	server, err := url.Parse(config.Host)
	if err != nil || server.Host == "" {
		return nil, nil, fmt.Errorf("%s is not the URL of a server", config.Host)
	}
	protocol := "http/1.1"
	var protocols http.Protocols
	if http2 {
		protocol = "h2"
		protocols.SetUnencryptedHTTP2(true) // as seen by the transport
	} else {
		protocols.SetHTTP1(true)
	}
	var clientTLS *tls.Config
	if server.Scheme == "https" {
		if clientTLS, err = tlsConfig(config.TLS, server.Hostname(), protocol); err != nil {
			return nil, nil, err
		}
		if server.Port() == "" {
			server.Host = net.JoinHostPort(server.Hostname(), "443")
		}
	}
	dial := config.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	transport := &http.Transport{
		Protocols: &protocols, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err == nil && clientTLS != nil {
				conn, err = handshake(ctx, conn, clientTLS)
			}
			if err != nil {
				return nil, err
			}
			return observe(conn), nil
		},
	}
	copied := config.Copy()
	copied.Host = "http://" + server.Host + server.EscapedPath()
	copied.TLS, copied.Dial, copied.Proxy, copied.Transport = rest.TLSConfig{}, nil, nil, transport
	return copied, transport, nil
}

func handshake(ctx context.Context, conn net.Conn, clientTLS *tls.Config) (net.Conn, error) {
	tlsConn := tls.Client(conn, clientTLS)
	if err := tlsConn.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if got, want := tlsConn.ConnectionState().NegotiatedProtocol, clientTLS.NextProtos[0]; got != want && want == "h2" {
		return nil, errors.Join(errors.New("the server does not speak HTTP/2"), tlsConn.Close())
	}
	return tlsConn, nil
}

// tlsConfig converts the TLS settings of rest, as far as an example needs them.
func tlsConfig(c rest.TLSConfig, host, protocol string) (*tls.Config, error) {
	converted := &tls.Config{ServerName: host, InsecureSkipVerify: c.Insecure, NextProtos: []string{protocol}}
	if c.ServerName != "" {
		converted.ServerName = c.ServerName
	}
	authorities, err := dataOr(c.CAData, c.CAFile)
	if err != nil {
		return nil, err
	}
	if authorities != nil {
		if converted.RootCAs = x509.NewCertPool(); !converted.RootCAs.AppendCertsFromPEM(authorities) {
			return nil, errors.New("the certificate authority has no certificate")
		}
	}
	certificate, err := dataOr(c.CertData, c.CertFile)
	if err != nil || certificate == nil {
		return converted, err
	}
	key, err := dataOr(c.KeyData, c.KeyFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("read the client's certificate: %w", err)
	}
	converted.Certificates = []tls.Certificate{pair}
	return converted, nil
}

func dataOr(data []byte, file string) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	return os.ReadFile(file)
}
