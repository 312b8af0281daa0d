package listener

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Connection is a client's connection. It can be reset, and it can be frozen
// without being closed.
type Connection struct {
	net.Conn
	owner *Listener
	// frozen is the newest reason to hold data back; nil if there is none.
	frozen atomic.Pointer[freeze]
	// written is closed and removed by the next completed write; nil without
	// waiters.
	written atomic.Pointer[chan struct{}]
	closed  chan struct{} // closed with the connection
	// Lost is for the owner of the listener: whether an outage holds requests back,
	// and none has been received.
	Lost atomic.Bool
	once sync.Once
}

// freeze is a reason for a connection to be frozen, linked to the previous
// ones.
type freeze struct {
	until    <-chan struct{} // closed at the end of the freeze
	previous *freeze
}

type connectionKey struct{}

// WithConnection stores the connection in the context of its requests.
func WithConnection(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// ConnectionOf returns the connection of a request; nil if the server is
// mounted in another one.
func ConnectionOf(ctx context.Context) *Connection {
	conn, _ := ctx.Value(connectionKey{}).(*Connection)
	return conn
}

// Read implements net.Conn.
func (c *Connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wait()
	return n, err
}

// Write implements net.Conn.
func (c *Connection) Write(p []byte) (int, error) {
	c.wait()
	n, err := c.Conn.Write(p)
	if written := c.written.Swap(nil); written != nil {
		close(*written)
	}
	return n, err
}

// Close implements net.Conn.
func (c *Connection) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.owner.untrack(c)
	})
	return c.Conn.Close()
}

// Freeze holds back every byte, in both directions, until a channel is closed.
func (c *Connection) Freeze(until <-chan struct{}) {
	for {
		below := c.frozen.Load()
		if c.frozen.CompareAndSwap(below, &freeze{until, below}) {
			return
		}
	}
}

func (c *Connection) wait() {
	for top := c.frozen.Load(); top != nil; top = c.frozen.Load() {
		select {
		case <-top.until:
			c.frozen.CompareAndSwap(top, top.previous)
		case <-c.closed:
			return
		}
	}
}

// WaitForWrites waits until flushed data has been written. With HTTP/2, another
// goroutine writes it some time after the flush. A write is the only sign of
// that and may already have happened, so the wait is short.
func (c *Connection) WaitForWrites() {
	const timeout, pause = 100 * time.Millisecond, 10 * time.Millisecond
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		select {
		case <-c.nextWrite():
			timer.Reset(pause) // more writes may follow
		case <-timer.C:
			return
		case <-c.closed:
			return
		}
	}
}

func (c *Connection) nextWrite() <-chan struct{} {
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

// Reset closes the connection so that its client gets a reset instead of EOF.
func (c *Connection) Reset() {
	if conn, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		// It fails if the connection is already closed.
		_ = conn.SetLinger(0)
	}
	c.Close()
}
