package httpserver

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// defaultConnections is the default limit of open connections.
const defaultConnections = 100

// connections limits the open connections of an http.Server. Idle connections are
// closed in favor of new ones, so that probes get a response while other clients
// keep connections open.
type connections struct {
	limit int // 0 means no limit

	mu sync.Mutex
	// open maps each connection to the time since when it is idle, zero while it has a
	// request.
	open map[net.Conn]time.Time
}

func newConnections(limit int) *connections {
	if limit == 0 {
		limit = defaultConnections
	}
	return &connections{limit: max(limit, 0), open: map[net.Conn]time.Time{}}
}

// changed is the ConnState hook of the server.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	var evicted net.Conn
	switch state {
	case http.StateNew:
		if c.limit > 0 && len(c.open) >= c.limit {
			evicted = c.longestIdle(conn)
			delete(c.open, evicted)
		}
		if evicted != conn {
			c.open[conn] = time.Now()
		}
	case http.StateActive, http.StateIdle:
		if _, known := c.open[conn]; !known {
			break // closed already
		}
		c.open[conn] = time.Time{}
		if state == http.StateIdle {
			c.open[conn] = time.Now()
		}
	default:
		delete(c.open, conn)
	}
	c.mu.Unlock()
	if evicted != nil {
		evicted.Close()
	}
}

// longestIdle returns the connection that has been idle longest, or newest if none
// is idle. mu is held.
func (c *connections) longestIdle(newest net.Conn) net.Conn {
	idlest, since := newest, time.Now()
	for conn, at := range c.open {
		if !at.IsZero() && !at.After(since) {
			idlest, since = conn, at
		}
	}
	return idlest
}
