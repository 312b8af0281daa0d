package rest

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

var errSilentProxy = errors.New("the SOCKS5 proxy takes too long to shake hands")

// socksConn is a connection to a SOCKS5 proxy. Package net/http shakes hands on
// it for as long as the proxy likes, so it is closed unless they are shaken in
// time. That is seen in what the proxy says; net/http reads none of what
// follows with it.
type socksConn struct {
	net.Conn
	clock *time.Timer
	late  atomic.Bool
	// said is what the proxy has said; nil once hands are shaken. Only Read
	// uses it.
	said []byte
}

func newSOCKSConn(conn net.Conn, timeout time.Duration) *socksConn {
	c := &socksConn{Conn: conn, said: []byte{}}
	c.clock = time.AfterFunc(timeout, func() {
		c.late.Store(true)
		conn.Close()
	})
	return c
}

// Read reads what the proxy says, and then what the server does.
func (c *socksConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.said == nil {
		return n, err
	}
	if c.said = append(c.said, p[:n]...); socksShaken(c.said) {
		c.said = nil
		c.clock.Stop()
	}
	if c.late.Load() {
		err = errSilentProxy
	}
	return n, err
}

// Close closes the connection.
func (c *socksConn) Close() error {
	c.clock.Stop()
	return c.Conn.Close()
}

// socksShaken is whether the proxy has said all that comes before the server's
// first byte (RFC 1928 and, if it wants a password, 1929).
func socksShaken(said []byte) bool {
	if len(said) < 2 {
		return false
	}
	const wantsPassword = 2
	method, said := said[1], said[2:]
	if method == wantsPassword {
		if len(said) < 2 {
			return false
		}
		said = said[2:]
	}
	if len(said) < 5 {
		return false
	}
	const head, port = 4, 2
	switch said[3] {
	case 1:
		return len(said) >= head+net.IPv4len+port
	case 3:
		return len(said) >= head+1+int(said[4])+port
	}
	return len(said) >= head+net.IPv6len+port
}
