package apitest

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
)

// connection is a client's connection as the server has it: it can be reset,
// and it can go silent without being closed.
type connection struct {
	net.Conn
	door *door
	// frozen is closed when the connection may go on; nil if it may.
	frozen atomic.Pointer[<-chan struct{}]
	gone   chan struct{} // closed with the connection
	once   sync.Once
}

type connectionKey struct{}

// withConnection remembers in the context of its requests what a request came
// by.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// connectionOf is what a request came by; nil where the server is mounted in
// another one.
func connectionOf(ctx context.Context) *connection {
	conn, _ := ctx.Value(connectionKey{}).(*connection)
	return conn
}

// Read is of net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wait()
	return n, err
}

// Write is of net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	c.wait()
	return c.Conn.Write(p)
}

// Close is of net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.gone)
		c.door.leave(c)
	})
	return c.Conn.Close()
}

// freeze keeps every byte back, both ways, until then.
func (c *connection) freeze(until <-chan struct{}) { c.frozen.Store(&until) }

func (c *connection) wait() {
	until := c.frozen.Load()
	if until == nil {
		return
	}
	select {
	case <-*until:
		c.frozen.CompareAndSwap(until, nil)
	case <-c.gone:
	}
}

// reset closes the connection so that its client sees a reset, not an end.
func (c *connection) reset() {
	if conn, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		// It fails on a connection that is closed already.
		_ = conn.SetLinger(0)
	}
	c.Close()
}
