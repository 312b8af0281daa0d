package informer

import (
	"fmt"
	"strings"
	"time"
)

// Registration is a handler's place in an informer.
type Registration struct {
	synced, done <-chan struct{}
	remove       func()
}

func newRegistration[T any](l *listener[T]) *Registration {
	return &Registration{synced: l.synced, done: l.done, remove: func() { l.processor.remove(l) }}
}

// Synced is closed when the handler has returned from the whole initial list:
// what the informer had when the handler was added, or its first list. It stays
// open if the handler is removed, or the informer stops, before that: who waits
// for it waits for Done too.
func (r *Registration) Synced() <-chan struct{} { return r.synced }

// HasSynced reports whether Synced is closed.
func (r *Registration) HasSynced() bool {
	select {
	case <-r.synced:
		return true
	default:
		return false
	}
}

// Remove takes the handler out. It does not wait, so a callback may call it,
// its own or another's. When it returns, a callback that has begun goes on, and
// no other begins. Once is enough, again does no harm.
func (r *Registration) Remove() { r.remove() }

// Done is closed when the last callback has ended after Remove, or after the
// end of Run, and none will begin.
func (r *Registration) Done() <-chan struct{} { return r.done }

// StopError names the handlers whose callbacks had not returned when the
// informer stopped, and their StopTimeout passed. Their goroutines begin no
// other callback.
type StopError struct{ Handlers []string }

func (e *StopError) Error() string {
	return fmt.Sprintf("informer: stopping: the callback has not returned in time of handler %s", strings.Join(e.Handlers, ", "))
}

// endsUntil waits for the end of l, no longer than its StopTimeout from began
// on.
func (l *listener[T]) endsUntil(began time.Time) bool {
	if l.options.StopTimeout == 0 {
		<-l.done
		return true
	}
	late := time.NewTimer(time.Until(began.Add(l.options.StopTimeout)))
	defer late.Stop()
	select {
	case <-l.done:
		return true
	case <-late.C:
	}
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}
