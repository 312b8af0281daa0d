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
	// ctx ends with the generation, and with it what is being dialled.
	ctx    context.Context
	cancel context.CancelFunc

	// proxyTLS and handshake are how, and for how long, hands are shaken with
	// an https proxy.
	proxyTLS  *tls.Config
	handshake time.Duration

	mu    sync.Mutex
	conns map[*trackedConn]struct{}
	ended bool
	// secure are the addresses of https proxies.
	secure map[string]struct{}
	// open counts dials and connections. From zero, nothing is added to it once
	// ended is set.
	open sync.WaitGroup
}

func newDialer(dial func(context.Context, string, string) (net.Conn, error), timeout time.Duration) *dialer {
	if dial == nil {
		dial = (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &dialer{dial: dial, ctx: ctx, cancel: cancel, conns: map[*trackedConn]struct{}{}, secure: map[string]struct{}{}}
}

func (d *dialer) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	if d.ended {
		d.mu.Unlock()
		return nil, errEnded
	}
	d.open.Add(1)
	d.mu.Unlock()
	defer d.open.Done()

	// net/http goes on dialling for a request that has ended, as the next one
	// may want the connection. It must not do so for ever.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if conn == nil {
		return nil, errors.New("Config.Dial returned neither a connection nor an error")
	}
	tracked, err := d.track(conn)
	if err != nil {
		return nil, err
	}
	return d.secured(ctx, tracked, address)
}

func (d *dialer) track(conn net.Conn) (net.Conn, error) {
	tracked := &trackedConn{Conn: conn, dialer: d}
	d.mu.Lock()
	if d.ended {
		d.mu.Unlock()
		conn.Close()
		return nil, errEnded
	}
	d.conns[tracked] = struct{}{}
	d.open.Add(1)
	d.mu.Unlock()
	return tracked, nil
}

// end closes every connection under its owner, who then finds out and closes it
// as well.
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

// wait returns when all dials have returned and the owners of all connections
// have closed them. It follows end.
func (d *dialer) wait() { d.open.Wait() }

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
		d.open.Done()
	})
	return err
}
