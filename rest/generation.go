package rest

import (
	"crypto/tls"
	"net/http"
)

// maxHeaderBytes bounds the headers of a response.
const maxHeaderBytes = 1 << 20

// generation is the connections of one pool that were made with one set of
// certificates.
type generation struct {
	transport *http.Transport
	dialer    *dialer
	// requests are those that run on it; guarded by transports.mu.
	requests int
}

func newGeneration(config *Config, t timing, running *running, tlsConfig, proxyTLS *tls.Config) *generation {
	d := newDialer(config.Dial, t, running)
	d.proxyTLS = proxyTLS
	return &generation{transport: newTransport(config, t, tlsConfig, d), dialer: d}
}

// end closes all connections, idle or not, and lets no new ones be made.
func (g *generation) end() {
	g.dialer.end()
	g.transport.CloseIdleConnections()
}

func newTransport(config *Config, t timing, tlsConfig *tls.Config, d *dialer) *http.Transport {
	return &http.Transport{
		Proxy:                  d.proxied(config),
		DialContext:            d.dialContext,
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    t.handshake,
		IdleConnTimeout:        t.idle,
		MaxIdleConnsPerHost:    25,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     config.DisableCompression,
		Protocols:              protocols(config),
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:  t.ping,
			PingTimeout:      t.pong,
			WriteByteTimeout: t.ping,
		},
	}
}

// protocols are what the transport may speak; the handshake chooses.
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
