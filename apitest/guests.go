package apitest

import (
	"net"
	"net/http"
	"sync"
)

// guests are who is being served: connections and the requests on them, which
// in HTTP/2 have goroutines of their own. Close waits until they have left.
type guests struct {
	connections sync.WaitGroup

	mu     sync.Mutex
	closed bool // no request enters any more
	// requests that are being answered. None is added once closed is set.
	requests sync.WaitGroup
}

// connected is the ConnState of the http.Server.
func (g *guests) connected(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		g.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		g.connections.Done()
	}
}

// enter is at the beginning of a request. It reports false when it is too late.
func (g *guests) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.requests.Add(1)
	return true
}

func (g *guests) leave() { g.requests.Done() }

// wait until all have left. No connection comes any more.
func (g *guests) wait() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.requests.Wait()
	g.connections.Wait()
}
