package apitest

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connection is a client's connection as the server has it: it can be reset,
// and it can go silent without being closed.
type connection struct {
	net.Conn
	door *door
	// frozen is why the connection may not go on; nil if it may.
	frozen atomic.Pointer[ice]
	// written is closed, and dropped, with the next write that ends; nil while
	// nobody waits.
	written atomic.Pointer[chan struct{}]
	gone    chan struct{} // closed with the connection
	once    sync.Once
}

// ice is a reason for a connection to be frozen, and the ones from before it.
type ice struct {
	until <-chan struct{} // closed when it has melted
	below *ice
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
	n, err := c.Conn.Write(p)
	if written := c.written.Swap(nil); written != nil {
		close(*written)
	}
	return n, err
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
func (c *connection) freeze(until <-chan struct{}) {
	for {
		below := c.frozen.Load()
		if c.frozen.CompareAndSwap(below, &ice{until, below}) {
			return
		}
	}
}

func (c *connection) wait() {
	for top := c.frozen.Load(); top != nil; top = c.frozen.Load() {
		select {
		case <-top.until:
			c.frozen.CompareAndSwap(top, top.below)
		case <-c.gone:
			return
		}
	}
}

// calm waits until what was flushed has been written. With HTTP/2 another
// goroutine does that, some time after the flush, and no other sign of it is
// seen than a write, which may have been already: it is not waited for long.
func (c *connection) calm() {
	const patience, pause = 100 * time.Millisecond, 10 * time.Millisecond
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-c.nextWrite():
			timer.Reset(pause) // it may be the first of several
		case <-timer.C:
			return
		case <-c.gone:
			return
		}
	}
}

func (c *connection) nextWrite() <-chan struct{} {
	for {
		if written := c.written.Load(); written != nil {
			return *written
		}
		written := make(chan struct{})
		if c.written.CompareAndSwap(nil, &written) {
			return written
		}
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
