package synctrack

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
)

// AsyncTracker reports when the items of an initial list have been processed, by
// any number of goroutines and in any order.
type AsyncTracker[T comparable] struct {
	name   string
	synced latch

	mu       sync.Mutex
	upstream bool        // guarded by mu
	waiting  sets.Set[T] // guarded by mu
}

// NewAsyncTracker returns a tracker; the name is for logs.
func NewAsyncTracker[T comparable](name string) *AsyncTracker[T] {
	return &AsyncTracker[T]{name: name}
}

// Start records that the item with this key has to be processed. Call it before
// UpstreamHasSynced.
func (t *AsyncTracker[T]) Start(key T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = sets.New[T]()
	}
	t.waiting.Insert(key)
}

// Finished records that the item with this key has been processed. It has no
// effect on a key that was not started, so a queue may call it for every key.
func (t *AsyncTracker[T]) Finished(key T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting.Delete(key)
	t.check()
}

// UpstreamHasSynced records that Start was called for the whole initial list.
func (t *AsyncTracker[T]) UpstreamHasSynced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.upstream = true
	t.check()
}

// check requires the lock.
func (t *AsyncTracker[T]) check() {
	if t.upstream && t.waiting.Len() == 0 {
		t.synced.close()
	}
}

// HasSynced reports whether the initial list has been processed.
func (t *AsyncTracker[T]) HasSynced() bool { return t.synced.isClosed() }

// Done returns a channel that is closed when the initial list has been
// processed.
func (t *AsyncTracker[T]) Done() <-chan struct{} { return t.synced.done() }

// Name returns the name of the tracker.
func (t *AsyncTracker[T]) Name() string { return t.name }

// SingleFileTracker reports when the items of an initial list have been
// processed in their order. It only counts them.
type SingleFileTracker struct {
	name   string
	synced latch

	mu       sync.Mutex
	upstream bool // guarded by mu
	waiting  int  // guarded by mu
}

// NewSingleFileTracker returns a tracker; the name is for logs.
func NewSingleFileTracker(name string) *SingleFileTracker {
	return &SingleFileTracker{name: name}
}

// Start records that an item has to be processed. Call it before
// UpstreamHasSynced.
func (t *SingleFileTracker) Start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting++
}

// Finished records that an item has been processed. It panics if there was no
// Start for it, since HasSynced could be true too early otherwise.
func (t *SingleFileTracker) Finished() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == 0 {
		panic("synctrack: Finished of the tracker " + t.name + " was called more often than Start")
	}
	t.waiting--
	t.check()
}

// UpstreamHasSynced records that Start was called for the whole initial list.
func (t *SingleFileTracker) UpstreamHasSynced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.upstream = true
	t.check()
}

// check requires the lock.
func (t *SingleFileTracker) check() {
	if t.upstream && t.waiting == 0 {
		t.synced.close()
	}
}

// HasSynced reports whether the initial list has been processed.
func (t *SingleFileTracker) HasSynced() bool { return t.synced.isClosed() }

// Done returns a channel that is closed when the initial list has been
// processed.
func (t *SingleFileTracker) Done() <-chan struct{} { return t.synced.done() }

// Name returns the name of the tracker.
func (t *SingleFileTracker) Name() string { return t.name }
