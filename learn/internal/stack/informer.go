package stack

import (
	"context"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/informer"
)

// Delta is a change of an object, as in package deltafifo of the library.
type Delta = deltafifo.Delta[Object]

// KnownObjects are the objects that a Queue compares with: those of an Indexer.
type KnownObjects interface {
	Get(key string) (Object, bool)
	List() []Object
}

// Queue is the part of step 7: the DeltaFIFO, which is the store of a Reflector.
type Queue interface {
	Store
	// Pop waits for a key with changes, and calls process with all of them, the oldest
	// first. A key is not handed out again while process runs. initial: they belong to
	// the first Replace. Pop returns the error of process, of ctx, or ErrClosed.
	Pop(ctx context.Context, process func(key string, deltas []Delta, initial bool) error) error
	// HasSynced reports whether the objects of the first Replace have been processed.
	HasSynced() bool
	// Close wakes all callers of Pop.
	Close()
}

// ErrClosed is the error of Pop after Close.
var ErrClosed = deltafifo.ErrClosed

// Indexer is the part of step 8: the local cache. Its methods can be called from any
// goroutine. A reader sees all changes of one call or none of them.
type Indexer interface {
	KnownObjects
	// Apply stores the objects of set and deletes the keys of remove.
	Apply(set []Object, remove []string)
	// AddIndex adds an index, also over the stored objects. values returns those of one.
	AddIndex(name string, values func(Object) []string) error
	// ByIndex returns the objects with a value in an index, ordered by key.
	ByIndex(name, value string) ([]Object, error)
}

// Handler receives the changes of an Informer: an interface of the library.
type Handler = informer.ResourceEventHandler[Object]

// Informer is the part of step 9: the shared informer with its loop.
type Informer interface {
	// AddEventHandler adds a handler with a goroutine of its own, before, during or
	// after Run. It receives the present objects as additions, and then each change.
	AddEventHandler(handler Handler)
	// Run runs reflect, and processes what the queue delivers, until ctx is done or
	// reflect returns. It waits for all its goroutines, and returns the error of reflect.
	Run(ctx context.Context, reflect func(context.Context) error) error
	// HasSynced reports whether the indexer has all objects of the first list.
	HasSynced() bool
}
