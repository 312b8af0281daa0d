package rest

import (
	"context"

	"k8s.io/apimachinery/pkg/watch"
)

// Event is a change of an object, or a bookmark.
type Event[T any] struct {
	// Type is watch.Added, Modified, Deleted or Bookmark. An ERROR event is
	// returned by Next as an error.
	Type watch.EventType
	// Object is the current object; for Deleted its last state, for Bookmark the
	// zero T.
	Object T
	// ResourceVersion is the version that the stream has reached with this event.
	ResourceVersion string
	// InitialEventsEnd is set on the bookmark that ends the initial events of a
	// watch with SendInitialEvents.
	InitialEventsEnd bool
}

// Watch is a stream of events that are decoded on demand: there is no goroutine and
// no buffer of events between the connection and the caller.
type Watch[T any] struct {
	next func(context.Context) (Event[T], error)
	stop func()
}

// NewWatch returns a Watch with the two functions. stop may be called more than
// once and during next, which then must return. A nil stop does nothing.
func NewWatch[T any](next func(context.Context) (Event[T], error), stop func()) *Watch[T] {
	if stop == nil {
		stop = func() {}
	}
	return &Watch[T]{next: next, stop: stop}
}

// Next waits for the next event. It returns io.EOF at the end of the stream, an
// *errors.StatusError for an ERROR event, and an [*ItemError] for an object that
// could not be decoded. After an ItemError, Next may be called again; every other
// error is final, and later calls return it again. When ctx ends, Next returns its
// error at once and the watch ends.
//
// Next must not be called concurrently.
func (w *Watch[T]) Next(ctx context.Context) (Event[T], error) { return w.next(ctx) }

// Stop ends the watch and releases its connection. It may be called at any
// time, more than once, and from any goroutine.
func (w *Watch[T]) Stop() { w.stop() }
