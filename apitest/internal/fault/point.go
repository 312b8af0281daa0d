package fault

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/thinformer/thinformer/apitest/internal/response"
)

// State is the state of a fault: whether it is removed, and its random
// numbers.
type State struct {
	removed chan struct{} // closed by remove

	mu     sync.Mutex
	random *rand.Rand
	// undo holds further steps of remove, such as listening again.
	undo []func()
}

// NewState returns the state of a fault. number distinguishes the faults of
// a seed, so that each has its own random numbers.
func NewState(seed, number uint64) *State {
	return &State{removed: make(chan struct{}), random: rand.New(rand.NewPCG(seed, number))}
}

// Remove ends the effects of the fault. It is called once.
func (s *State) Remove() {
	s.mu.Lock()
	close(s.removed)
	undo := s.undo
	s.undo = nil
	s.mu.Unlock()
	for _, f := range undo {
		f()
	}
}

// Done returns a channel that is closed when the fault is removed.
func (s *State) Done() <-chan struct{} { return s.removed }

// isRemoved reports whether the fault is removed.
func (s *State) isRemoved() bool {
	select {
	case <-s.removed:
		return true
	default:
		return false
	}
}

// OnRemove calls f when the fault is removed, or at once if it has been
// removed.
func (s *State) OnRemove(f func()) {
	s.mu.Lock()
	removed := s.isRemoved()
	if !removed {
		s.undo = append(s.undo, f)
	}
	s.mu.Unlock()
	if removed {
		f()
	}
}

// Draw returns a random number below 1.
func (s *State) Draw() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.Float64()
}

// intn returns a random number below n.
func (s *State) intn(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

// RandomDuration returns a random duration.
func (s *State) RandomDuration(shortest, longest time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return shortest + time.Duration(s.random.Int64N(int64(longest-shortest)+1))
}

// Response is the response that a fault affects.
type Response interface {
	http.ResponseWriter
	http.Flusher
}

// Point is a fault that applies to a request, at one point of it.
type Point struct {
	*State
	Out     Response
	Request *http.Request
	// closed is closed when the server is closed.
	closed <-chan struct{}
	// Next receives the events after the fault; nil outside of watches.
	Next response.Frames
	// endWatch ends a watch from another goroutine.
	endWatch func()
}

// NewPoint returns the start of a request to which a fault applies.
func NewPoint(state *State, out Response, r *http.Request, closed <-chan struct{}) *Point {
	return &Point{State: state, Out: out, Request: r, closed: closed}
}

// wait waits until a time (nil is never), or until the fault is removed. It
// reports false if the client has disconnected or the server is closed.
func (p *Point) wait(until <-chan time.Time) bool {
	select {
	case <-until:
	case <-p.removed:
	case <-p.Request.Context().Done():
		return false
	case <-p.closed:
		return false
	}
	return true
}

// Abort ends the response abnormally: net/http closes the connection, or resets
// the stream of HTTP/2.
func (p *Point) Abort() { panic(http.ErrAbortHandler) }

// Pause waits, and reports whether the request has ended.
func (p *Point) Pause(until <-chan time.Time) (ended bool) {
	if p.wait(until) {
		return false
	}
	if p.Next == nil {
		p.Abort()
	}
	return true
}

// isClosed reports whether the server is closed.
func (p *Point) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}
