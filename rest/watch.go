package rest

import (
	"context"

	"k8s.io/apimachinery/pkg/watch"
)

// Event is one change of one object, or a mark in the stream.
type Event[T any] struct {
	// Type is watch.Added, Modified, Deleted or Bookmark. An ERROR event is not
	// an Event: Next returns it as an error.
	Type watch.EventType
	// Object as it is now; of a Deleted, as it last was. The zero T in a
	// Bookmark.
	Object T
	// ResourceVersion that the stream has reached with this event.
	ResourceVersion string
	// InitialEventsEnd is set on the bookmark that ends the initial state of a
	// watch that was opened with SendInitialEvents.
	InitialEventsEnd bool
}

// Watch is a stream of events, decoded as they are asked for: there is no
// goroutine and no buffer of events between the connection and the caller.
type Watch[T any] struct {
	next func(context.Context) (Event[T], error)
	stop func()
}

// NewWatch makes a Watch of two functions; stop may be called more than once
// and while next runs, which then returns. A nil stop does nothing.
func NewWatch[T any](next func(context.Context) (Event[T], error), stop func()) *Watch[T] {
	if stop == nil {
		stop = func() {}
	}
	return &Watch[T]{next: next, stop: stop}
}

// Next waits for the next event. It returns io.EOF when the stream has ended,
// an *errors.StatusError for an ERROR event, and an [*ItemError] for an object
// that could not be decoded. After an ItemError Next may be called again; every
// other error is the end of the stream, and is returned again. When ctx ends,
// Next returns its error at once and the watch is over.
//
// Next is for one goroutine at a time.
func (w *Watch[T]) Next(ctx context.Context) (Event[T], error) { return w.next(ctx) }

// Stop ends the watch and releases its connection. It may be called at any
// time, more than once, and from any goroutine.
func (w *Watch[T]) Stop() { w.stop() }
