package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

var errEnded = errors.New("the connection is no longer wanted: certificates have changed or the client is closed")

// dialer makes the connections of one generation and knows all that are open,
// so that they can be closed whatever runs on them.
type dialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// timeout bounds each dial, and handshake the shaking of hands with a proxy.
	timeout, handshake time.Duration
	// running counts dials and connections.
	running *running
	// ctx ends with the generation, and with it what is being dialled.
	ctx    context.Context
	cancel context.CancelFunc
	// proxyTLS is how hands are shaken with an https proxy.
	proxyTLS *tls.Config

	mu    sync.Mutex
	conns map[*trackedConn]struct{}
	ended bool
	// proxies are the schemes of the proxies that hands are shaken with, by
	// their addresses: https, and socks5 for socks5h as well.
	proxies map[string]string
}

func newDialer(dial func(context.Context, string, string) (net.Conn, error), t timing, running *running) *dialer {
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &dialer{
		dial: dial, timeout: t.dial, handshake: t.handshake, running: running, ctx: ctx, cancel: cancel,
		conns: map[*trackedConn]struct{}{}, proxies: map[string]string{},
	}
}

func (d *dialer) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !d.running.begin() {
		return nil, errEnded
	}
	defer d.running.end()

	// net/http goes on dialling for a request that has ended, as the next one
	// may want the connection. It must not do so for ever.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := d.dialled(ctx, network, address)
	if err != nil {
		return nil, err
	}
	tracked, err := d.track(conn)
	if err != nil {
		return nil, err
	}
	return d.proxyConn(ctx, tracked, address)
}

func (d *dialer) dialled(ctx context.Context, network, address string) (net.Conn, error) {
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
	if !d.running.begin() {
		conn.Close()
		return nil, errEnded
	}
	tracked := &trackedConn{Conn: conn, dialer: d}
	d.mu.Lock()
	if d.ended {
		d.mu.Unlock()
		d.running.end()
		conn.Close()
		return nil, errEnded
	}
	d.conns[tracked] = struct{}{}
	d.mu.Unlock()
	return tracked, nil
}

// end closes every connection under its owner, who then finds out and closes it
// as well. What is being dialled ends, and what is dialled from now on is closed.
func (d *dialer) end() {
	d.mu.Lock()
	d.ended = true
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

// trackedConn tells its dialer when its owner closes it.
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
		d.running.end()
	})
	return err
}
