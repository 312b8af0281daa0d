package listener

import (
	"net"
	"net/http"
	"sync"
)

// ActiveConnections counts the open connections and the requests on them, which
// in HTTP/2 have their own goroutines. Close waits until both are zero.
type ActiveConnections struct {
	open sync.WaitGroup

	mu     sync.Mutex
	closed bool // no further request is accepted
	// requests that are being served. None is added once closed is set.
	requests sync.WaitGroup
}

// StateChanged is the ConnState of the http.Server.
func (g *ActiveConnections) StateChanged(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		g.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		g.open.Done()
	}
}

// BeginRequest registers a request. It reports false after Close.
func (g *ActiveConnections) BeginRequest() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.requests.Add(1)
	return true
}

// EndRequest ends a request that BeginRequest has registered.
func (g *ActiveConnections) EndRequest() { g.requests.Done() }

// Wait waits until there are no requests and connections. The listener is
// closed before.
func (g *ActiveConnections) Wait() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.requests.Wait()
	g.open.Wait()
}
