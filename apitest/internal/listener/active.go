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
func (a *ActiveConnections) StateChanged(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		a.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		a.open.Done()
	}
}

// BeginRequest registers a request. It reports false after Close.
func (a *ActiveConnections) BeginRequest() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.requests.Add(1)
	return true
}

// EndRequest ends a request that BeginRequest has registered.
func (a *ActiveConnections) EndRequest() { a.requests.Done() }

// Wait waits until there are no requests and connections. The listener is
// closed before.
func (a *ActiveConnections) Wait() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.requests.Wait()
	a.open.Wait()
}
