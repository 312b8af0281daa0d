package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/thinformer/thinformer/rest"
)

// recording has the bytes of recorded connections, without TLS.
type recording struct {
	mu             sync.Mutex
	sent, received []byte
}

func (r *recording) request() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.sent)
}

func (r *recording) response() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.received)
}

// recordedConn is a connection whose bytes are recorded.
type recordedConn struct {
	net.Conn
	*recording
}

// Read reads, and records what it has read.
func (c recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, p[:n]...)
	return n, err
}

// Write records, then writes: the response must not be recorded before the request.
func (c recordedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.sent = append(c.sent, p...)
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// open returns a config that sends requests over recorded connections: the transport
// does not use TLS, the connections below it do, and the recording is in between.
// The caller must close the transport.
func open(config *rest.Config, http2 bool) (*rest.Config, *http.Transport, *recording, error) {
	server, err := url.Parse(config.Host)
	if err != nil || server.Host == "" {
		return nil, nil, nil, fmt.Errorf("%s is not the URL of a server", config.Host)
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
			return nil, nil, nil, err
		}
		if server.Port() == "" {
			server.Host = net.JoinHostPort(server.Hostname(), "443")
		}
	}
	recorded := new(recording)
	transport := &http.Transport{
		Protocols: &protocols, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address, clientTLS)
			if err != nil {
				return nil, err
			}
			return recordedConn{conn, recorded}, nil
		},
	}
	copied := config.Copy()
	copied.Host = "http://" + server.Host + server.EscapedPath()
	copied.TLS, copied.Dial, copied.Proxy, copied.Transport = rest.TLSConfig{}, nil, nil, transport
	return copied, transport, recorded, nil
}

func dial(ctx context.Context, network, address string, clientTLS *tls.Config) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil || clientTLS == nil {
		return conn, err
	}
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

// head returns a request or the beginning of a response as text, without
// credentials.
func head(text []byte) (lines []string) {
	text, _, _ = bytes.Cut(text, []byte("\r\n\r\n"))
	for line := range strings.SplitSeq(string(text), "\r\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Authorization") {
			line = name + ": (not shown)"
		}
		lines = append(lines, line)
	}
	return lines
}
