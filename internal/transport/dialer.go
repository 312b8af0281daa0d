package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

var errConnectionsClosed = errors.New("the connection was closed: certificates have changed or the client is closed")

// dialer opens the connections of one generation and tracks them, so that they can
// be closed at any time.
type dialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// timeout bounds each dial, and handshake the handshake with a proxy.
	timeout, handshake time.Duration
	// operations counts dials and connections.
	operations *operations
	// ctx ends with the generation, and cancels dials in progress.
	ctx    context.Context
	cancel context.CancelFunc
	// proxyTLS is the TLS configuration for https proxies.
	proxyTLS *tls.Config

	mu     sync.Mutex
	conns  map[*trackedConn]struct{}
	closed bool
	// proxies are the schemes of the proxies that need a handshake here, by
	// address: https, and socks5 (also for socks5h).
	proxies map[string]string
}

func newDialer(dial func(context.Context, string, string) (net.Conn, error), t timeouts, ops *operations) *dialer {
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &dialer{
		dial: dial, timeout: t.dial, handshake: t.handshake, operations: ops, ctx: ctx, cancel: cancel,
		conns: map[*trackedConn]struct{}{}, proxies: map[string]string{},
	}
}

func (d *dialer) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !d.operations.begin() {
		return nil, errConnectionsClosed
	}
	defer d.operations.end()

	// net/http continues to dial after the request has ended, as the next request
	// may use the connection. This must be bounded.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := d.dialWithTimeout(ctx, network, address)
	if err != nil {
		return nil, err
	}
	tracked, err := d.track(conn)
	if err != nil {
		return nil, err
	}
	return d.proxyConn(ctx, tracked, address)
}

func (d *dialer) dialWithTimeout(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	conn, err := d.dial(ctx, network, address)
	switch {
	case err != nil:
		return nil, err
	case conn == nil:
		return nil, errors.New("Config.Dial returned neither a connection nor an error")
	}
	return conn, nil
}

func (d *dialer) track(conn net.Conn) (net.Conn, error) {
	if !d.operations.begin() {
		conn.Close()
		return nil, errConnectionsClosed
	}
	tracked := &trackedConn{Conn: conn, dialer: d}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		d.operations.end()
		conn.Close()
		return nil, errConnectionsClosed
	}
	d.conns[tracked] = struct{}{}
	d.mu.Unlock()
	return tracked, nil
}

// closeAll closes all connections; net/http then detects that and closes its side.
// Dials in progress are cancelled, and connections from later dials are closed.
func (d *dialer) closeAll() {
	d.mu.Lock()
	d.closed = true
	conns := make([]net.Conn, 0, len(d.conns))
	for tracked := range d.conns {
		conns = append(conns, tracked.Conn)
	}
	d.mu.Unlock()
	d.cancel()
	for _, conn := range conns {
		conn.Close()
	}
}

// trackedConn removes itself from its dialer when it is closed.
type trackedConn struct {
	net.Conn
	dialer *dialer
	once   sync.Once
}

// Close closes the connection.
func (c *trackedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		d := c.dialer
		d.mu.Lock()
		delete(d.conns, c)
		d.mu.Unlock()
		d.operations.end()
	})
	return err
}
