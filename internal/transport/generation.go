package transport

import (
	"crypto/tls"
	"net/http"
)

// maxHeaderBytes bounds the headers of a response.
const maxHeaderBytes = 1 << 20

// generation has the connections of one pool that use one set of certificates.
type generation struct {
	transport *http.Transport
	dialer    *dialer
	// requests is the number of requests in progress; guarded by transports.mu.
	requests int
}

func newGeneration(config *Config, t timeouts, ops *operations, tlsConfig, proxyTLS *tls.Config) *generation {
	d := newDialer(config.Dial, t, ops)
	d.proxyTLS = proxyTLS
	return &generation{transport: newTransport(config, t, tlsConfig, d), dialer: d}
}

// close closes all connections, idle or not, and prevents new ones.
func (g *generation) close() {
	g.dialer.closeAll()
	g.transport.CloseIdleConnections()
}

func newTransport(config *Config, t timeouts, tlsConfig *tls.Config, d *dialer) *http.Transport {
	return &http.Transport{
		Proxy:                  d.proxyFunc(config),
		DialContext:            d.dialContext,
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    t.handshake,
		IdleConnTimeout:        t.idle,
		MaxIdleConnsPerHost:    25,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     config.DisableCompression,
		Protocols:              protocols(config),
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:  t.pingInterval,
			PingTimeout:      t.pingTimeout,
			WriteByteTimeout: t.pingInterval,
		},
	}
}

// protocols returns the protocols that the transport may use.
func protocols(config *Config) *http.Protocols {
	offered := func(name string) bool {
		if len(config.TLS.NextProtos) == 0 {
			return true
		}
		for _, proto := range config.TLS.NextProtos {
			if proto == name {
				return true
			}
		}
		return false
	}
	var p http.Protocols
	p.SetHTTP2(offered("h2") && !config.DisableHTTP2)
	p.SetHTTP1(offered("http/1.1") || !p.HTTP2())
	return &p
}
