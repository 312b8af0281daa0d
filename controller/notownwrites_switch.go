package controller

import (
	"sync"
	"sync/atomic"
)

// switchToOwn makes the tracker enqueue the requests of a watch whose handler is attached
// and has enqueued them until now. If the watch was removed, or if the run ends,
// NotOwnWrites applies to the next run.
func (w *Watch[T]) switchToOwn(h *watchHandler) {
	observed := &switchPoint{}
	if remove, err := w.observeOwn(h.run, observed.saw); err == nil {
		h.ignore(observed.reached, remove)
	}
}

// switchPoint finds out when a handler has received all changes that the tracker has not
// observed: when it receives one that the tracker has observed. The handler receives the
// changes in order, and one that was merged takes the place of the oldest. Until then the
// handler also enqueues the requests of changes that the tracker has observed.
type switchPoint struct {
	passed atomic.Bool

	mu sync.Mutex
	// last has the last changes that the tracker has observed. next is the position of
	// the next one when it is full.
	last []observedChange
	next int
}

// observedChange is a creation, for which old is nil, or an update.
type observedChange struct{ old, new any }

// maxObserved bounds the changes that are compared. If the handler is further behind, it
// meets one of the later ones.
const maxObserved = 256

// saw records a change that the tracker observes, before the handler can receive it.
func (s *switchPoint) saw(old, new any, deleted bool) {
	if deleted || s.passed.Load() { // a merged deletion looks like a single one
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) < maxObserved {
		s.last = append(s.last, observedChange{old, new})
		return
	}
	s.last[s.next] = observedChange{old, new}
	s.next = (s.next + 1) % maxObserved
}

// reached reports whether the tracker has observed a change that the handler receives,
// and all later ones.
func (s *switchPoint) reached(old, new any, deleted bool) bool {
	if s.passed.Load() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.last {
		if !deleted && c.old == old && c.new == new {
			s.last = nil
			s.passed.Store(true)
			return true
		}
	}
	return false
}
