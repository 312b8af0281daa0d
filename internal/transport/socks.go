package transport

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

var errSOCKSTimeout = errors.New("the handshake with the SOCKS5 proxy timed out")

// socksConn is a connection to a SOCKS5 proxy. Package net/http does not bound the
// handshake, so the connection is closed if the handshake takes too long. The end
// of the handshake is detected in the bytes from the proxy; net/http does not read
// any bytes of the server together with them.
type socksConn struct {
	net.Conn
	timer    *time.Timer
	timedOut atomic.Bool
	// received has the bytes of the handshake; nil when it is done. Only Read uses
	// it.
	received []byte
}

func newSOCKSConn(conn net.Conn, timeout time.Duration) *socksConn {
	c := &socksConn{Conn: conn, received: []byte{}}
	c.timer = time.AfterFunc(timeout, func() {
		c.timedOut.Store(true)
		conn.Close()
	})
	return c
}

// Read reads the handshake of the proxy, and then the data of the server.
func (c *socksConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.received == nil {
		return n, err
	}
	if c.received = append(c.received, p[:n]...); socksHandshakeDone(c.received) {
		c.received = nil
		c.timer.Stop()
	}
	if c.timedOut.Load() {
		err = errSOCKSTimeout
	}
	return n, err
}

// Close closes the connection.
func (c *socksConn) Close() error {
	c.timer.Stop()
	return c.Conn.Close()
}

// socksHandshakeDone reports whether the proxy has sent its complete handshake (RFC
// 1928 and, with a password, 1929).
func socksHandshakeDone(received []byte) bool {
	if len(received) < 2 {
		return false
	}
	const wantsPassword = 2
	method, received := received[1], received[2:]
	if method == wantsPassword {
		if len(received) < 2 {
			return false
		}
		received = received[2:]
	}
	if len(received) < 5 {
		return false
	}
	const head, port = 4, 2
	switch received[3] {
	case 1:
		return len(received) >= head+net.IPv4len+port
	case 3:
		return len(received) >= head+1+int(received[4])+port
	}
	return len(received) >= head+net.IPv6len+port
}
