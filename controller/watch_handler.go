package controller

import (
	"sync"
	"sync/atomic"
)

// watchHandler is the handler of a watch during one run.
type watchHandler struct {
	run *run
	// observed reports whether the tracker has observed a change, so that the handler must
	// not enqueue its requests. It is nil without NotOwnWrites.
	observed atomic.Pointer[func(old, new any, deleted bool) bool]

	mu sync.Mutex
	// removed is set when the watch is detached. removeOwn then ends its NotOwnWrites.
	removed   bool
	removeOwn func()
}

// ignores reports whether the handler must not enqueue the requests of a change.
func (h *watchHandler) ignores(old, new any, deleted bool) bool {
	observed := h.observed.Load()
	return observed != nil && (*observed)(old, new, deleted)
}

// onlyInitial makes the handler enqueue only the initial objects.
func (h *watchHandler) onlyInitial(removeOwn func()) {
	h.ignore(func(any, any, bool) bool { return true }, removeOwn)
}

// ignore makes the handler ignore the changes that the tracker has observed. removeOwn is
// called when the watch is detached, at once if it has been detached.
func (h *watchHandler) ignore(observed func(old, new any, deleted bool) bool, removeOwn func()) {
	h.observed.Store(&observed)
	h.mu.Lock()
	removed := h.removed
	h.removeOwn = removeOwn
	h.mu.Unlock()
	if removed {
		removeOwn()
	}
}

// remove is called once, when the watch is detached.
func (h *watchHandler) remove() {
	h.mu.Lock()
	h.removed = true
	removeOwn := h.removeOwn
	h.mu.Unlock()
	if removeOwn != nil {
		removeOwn()
	}
}
