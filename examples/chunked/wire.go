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

// tape is what has come over the connections that it was laid under, byte by
// byte, without the TLS.
type tape struct {
	mu             sync.Mutex
	sent, received []byte
}

func (t *tape) request() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.sent)
}

func (t *tape) response() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.received)
}

// taped is a connection that is written down as it is used.
type taped struct {
	net.Conn
	*tape
}

// Read reads, and writes it down.
func (c taped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, p[:n]...)
	return n, err
}

// Write writes, and has written it down before: the answer must not be earlier
// on the tape than the request.
func (c taped) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.sent = append(c.sent, p...)
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// open is the way of a config to its server with nothing hidden: a transport
// that believes to speak without TLS, over connections that do the TLS beneath
// it, and a tape in between. The transport is the caller's to close.
func open(config *rest.Config, http2 bool) (*rest.Config, *http.Transport, *tape, error) {
	server, err := url.Parse(config.Host)
	if err != nil || server.Host == "" {
		return nil, nil, nil, fmt.Errorf("%s is not the URL of a server", config.Host)
	}
	protocol := "http/1.1"
	var protocols http.Protocols
	if http2 {
		protocol = "h2"
		protocols.SetUnencryptedHTTP2(true) // as far as the transport knows
	} else {
		protocols.SetHTTP1(true)
	}
	var secured *tls.Config
	if server.Scheme == "https" {
		if secured, err = tlsConfig(config.TLS, server.Hostname(), protocol); err != nil {
			return nil, nil, nil, err
		}
		if server.Port() == "" {
			server.Host = net.JoinHostPort(server.Hostname(), "443")
		}
	}
	laid := new(tape)
	transport := &http.Transport{
		Protocols: &protocols, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address, secured)
			if err != nil {
				return nil, err
			}
			return taped{conn, laid}, nil
		},
	}
	own := config.Copy()
	own.Host = "http://" + server.Host + server.EscapedPath()
	own.TLS, own.Dial, own.Proxy, own.Transport = rest.TLSConfig{}, nil, nil, transport
	return own, transport, laid, nil
}

func dial(ctx context.Context, network, address string, secured *tls.Config) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil || secured == nil {
		return conn, err
	}
	shaken := tls.Client(conn, secured)
	if err := shaken.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if got, want := shaken.ConnectionState().NegotiatedProtocol, secured.NextProtos[0]; got != want && want == "h2" {
		return nil, errors.Join(errors.New("the server does not speak HTTP/2"), shaken.Close())
	}
	return shaken, nil
}

// tlsConfig is what rest makes of its own, as far as an example needs it.
func tlsConfig(c rest.TLSConfig, host, protocol string) (*tls.Config, error) {
	made := &tls.Config{ServerName: host, InsecureSkipVerify: c.Insecure, NextProtos: []string{protocol}}
	if c.ServerName != "" {
		made.ServerName = c.ServerName
	}
	authorities, err := dataOr(c.CAData, c.CAFile)
	if err != nil {
		return nil, err
	}
	if authorities != nil {
		if made.RootCAs = x509.NewCertPool(); !made.RootCAs.AppendCertsFromPEM(authorities) {
			return nil, errors.New("there is no certificate in the certificate authority")
		}
	}
	certificate, err := dataOr(c.CertData, c.CertFile)
	if err != nil || certificate == nil {
		return made, err
	}
	key, err := dataOr(c.KeyData, c.KeyFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("read the client's certificate: %w", err)
	}
	made.Certificates = []tls.Certificate{pair}
	return made, nil
}

func dataOr(data []byte, file string) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	return os.ReadFile(file)
}

// head is a request or the beginning of a response as text, without what must
// not be shown.
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
