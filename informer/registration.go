package informer

import (
	"fmt"
	"strings"
)

// Registration represents a handler that was added to an informer.
type Registration struct {
	synced, done <-chan struct{}
	remove       func()
}

func newRegistration[T any](l *listener[T]) *Registration {
	return &Registration{synced: l.synced, done: l.done, remove: func() { l.processor.remove(l) }}
}

// Synced returns a channel that is closed when the handler has returned from the
// whole initial list: the objects in the store when the handler was added, or the
// informer's first list. The channel stays open if the handler is removed, or the
// informer stops, before that; therefore wait for Done as well.
func (r *Registration) Synced() <-chan struct{} { return r.synced }

// HasSynced reports whether the channel of Synced is closed.
func (r *Registration) HasSynced() bool {
	select {
	case <-r.synced:
		return true
	default:
		return false
	}
}

// Remove removes the handler. It does not wait, so any callback may call it. When
// it returns, a running callback continues, and no other callback starts. Remove is
// idempotent.
func (r *Registration) Remove() { r.remove() }

// Done returns a channel that is closed when no callback is running and none will
// start, after Remove or at the end of Run.
func (r *Registration) Done() <-chan struct{} { return r.done }

// StopError names the handlers whose callbacks did not return within their
// StopTimeout when the informer stopped. Their goroutines start no further
// callback.
type StopError struct{ Handlers []string }

func (e *StopError) Error() string {
	return fmt.Sprintf("informer: stop timed out: a callback is still running in handler %s", strings.Join(e.Handlers, ", "))
}
