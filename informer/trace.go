package informer

import "time"

// Trace is a set of functions that are told of an event's way through an
// informer, each where it happens: they must not block. Any of them may be nil,
// and costs nothing then. They are called by several goroutines at once: Received
// by the one that reads the source, Stored, Applied and Merged by the one that fills
// the store, Called and Returned by each handler's. No lock is held meanwhile.
//
// Package debug has one that remembers ([debug.NewTimeline]).
//
// [debug.NewTimeline]: https://pkg.go.dev/github.com/thinformer/thinformer/informer/debug#NewTimeline
type Trace struct {
	// Received: a watch has brought an event, before anybody decides whether it
	// is kept. What is there at the beginning, or in a relist, is not received
	// but stored.
	Received func(TraceInfo)
	// Stored: the change is in the store, and now goes to the handlers.
	Stored func(TraceInfo)
	// Called: a handler's callback for it begins. Returned: it has ended, by
	// a panic if need be.
	Called, Returned func(TraceInfo)
	// Merged: too many waited for a handler, and this one will not be told by
	// itself: it is part of a later one, or of nothing that is left to tell.
	Merged func(TraceInfo)
	// Applied: a batch of changes, or of bookmarks, is in the store, and has been
	// written down for the handlers.
	Applied func(BatchInfo)
}

// BatchInfo says what became of a batch.
type BatchInfo struct {
	// Informer is its name.
	Informer string
	// Changes is how many changes were applied, and Queued how many wait.
	Changes, Queued int
	// Version is the one that the store has reached.
	Version string
	// Took is how long it took to apply them.
	Took time.Duration
}

// TraceInfo says what a function of a Trace is told of.
type TraceInfo struct {
	// Informer and Handler are names; Handler is "" where none is meant.
	Informer, Handler string
	// Key and Version are the object's. One event has one version at all stages;
	// the end of an object that nobody saw go has that of its last state.
	// Event is what happened: ADDED, MODIFIED or DELETED from the source; add,
	// update or delete to the store and the handlers.
	Key, Version, Event string
}
