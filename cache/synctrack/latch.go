package synctrack

import "sync"

// latch is a channel that is closed once. Its zero value is open.
type latch struct {
	mu     sync.Mutex
	ch     chan struct{} // nil until it is needed; guarded by mu
	closed bool          // guarded by mu
}

func (l *latch) done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.channel()
}

// channel requires the lock.
func (l *latch) channel() chan struct{} {
	if l.ch == nil {
		l.ch = make(chan struct{})
	}
	return l.ch
}

func (l *latch) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.channel())
	}
}

func (l *latch) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}
