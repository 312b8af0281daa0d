package outage

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connection is an accepted connection. While it is held, bytes wait: what was
// read is not handed on, and what is written is not sent.
type connection struct {
	net.Conn
	listener *listener
	closed   chan struct{}
	once     sync.Once
	// counted is set while the first request must not be counted, because the
	// connection itself was, as an attempt during an outage.
	counted atomic.Bool

	// The listener's mutex guards these.
	held  bool        // until the listener releases
	limit *time.Timer // closes the connection; nil: nothing does
}

// Read is of net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.waitWhileHeld()
	return n, err
}

// Write is of net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	c.waitWhileHeld()
	return c.Conn.Write(p)
}

// Close is of net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.listener.forget(c)
	})
	return c.Conn.Close()
}

// reset makes the peer read ECONNRESET.
func (c *connection) reset() {
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// finish makes the peer read the end of the stream. What the peer sends is still
// read, or the kernel would reset the connection.
func (c *connection) finish() { _ = c.Conn.(*net.TCPConn).CloseWrite() }
