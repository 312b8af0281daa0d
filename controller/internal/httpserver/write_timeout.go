package httpserver

import (
	"net"
	"sync"
	"time"
)

// A client must read each writeChunk bytes within chunkTimeout.
const (
	writeChunk   = 64 << 10
	chunkTimeout = 10 * time.Second
)

// writeTimeoutListener limits how long clients may take to read.
type writeTimeoutListener struct{ net.Listener }

// Accept implements net.Listener.
func (l writeTimeoutListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &writeTimeoutConn{Conn: conn}, nil
}

// writeTimeoutConn fails a write if the client reads less than a chunk within
// chunkTimeout. A WriteTimeout of the server would limit whole responses instead,
// including profiles that are recorded for minutes.
type writeTimeoutConn struct {
	net.Conn

	mu sync.Mutex
	// deadline is the deadline set by the caller, zero for none.
	deadline time.Time
}

// Write implements net.Conn.
func (c *writeTimeoutConn) Write(p []byte) (written int, err error) {
	for first := true; first || written < len(p); first = false {
		if err := c.setChunkDeadline(); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(p[written:min(len(p), written+writeChunk)])
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// setChunkDeadline sets the deadline of the next chunk.
func (c *writeTimeoutConn) setChunkDeadline() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	deadline := time.Now().Add(chunkTimeout)
	if !c.deadline.IsZero() && c.deadline.Before(deadline) {
		deadline = c.deadline
	}
	return c.Conn.SetWriteDeadline(deadline)
}

// SetWriteDeadline implements net.Conn.
func (c *writeTimeoutConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *writeTimeoutConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetDeadline(t)
}
