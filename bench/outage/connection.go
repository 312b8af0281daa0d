package outage

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connection is an accepted connection. While it is held, its Read does not return and
// its Write sends nothing.
type connection struct {
	net.Conn
	listener *listener
	closed   chan struct{}
	once     sync.Once
	// counted is set if the connection was counted as an attempt during an outage. Its
	// first request is then not counted.
	counted atomic.Bool

	// The listener's mutex guards these.
	held  bool
	limit *time.Timer // closes the connection; nil if there is no limit
}

// Read implements net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.waitWhileHeld()
	return n, err
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	c.waitWhileHeld()
	return c.Conn.Write(p)
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.listener.forget(c)
	})
	return c.Conn.Close()
}

// reset closes the connection so that the reads of the peer return ECONNRESET.
func (c *connection) reset() {
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// finish closes the connection for writing, so that the peer reads the end of the
// stream. The listener continues to read; otherwise the kernel would reset the
// connection.
func (c *connection) finish() { _ = c.Conn.(*net.TCPConn).CloseWrite() }
