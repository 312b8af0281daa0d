// The work is done by this file. Package deltafifo has the queue of package informer.

package cache

import (
	"log/slog"
	"sync"

	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/deltafifo"
)

// RealFIFOOptions configures a RealFIFO. Exactly one of KnownObjects and
// AtomicEvents must be set. The defaults of the other fields work.
type RealFIFOOptions struct {
	// Logger receives errors of reading KnownObjects. Default: klog's.
	Logger *klog.Logger
	// Name identifies the queue in logs, unless Identifier has a name. Default:
	// "RealFIFO".
	Name string
	// KeyFunction returns the key of an object. Default: MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is the store that the consumer fills with popped objects. It
	// is read concurrently with the consumer, so it must be safe for concurrent
	// use, and with the lock of the queue held, so it must not call the queue.
	KnownObjects KeyListerGetter
	// Transformer changes each object before it is queued. Default: none.
	Transformer TransformFunc
	// AtomicEvents queues a Replace as one ReplacedAll and a Resync as one
	// SyncAll. The consumer knows which objects they affect.
	AtomicEvents bool
	// UnlockWhileProcessing has no effect: writes never wait for processing,
	// unless the queue is very long. It requires AtomicEvents, as in client-go.
	UnlockWhileProcessing bool
	// Identifier identifies the queue in metrics. Default: no metrics.
	Identifier InformerNameAndResource
	// MetricsProvider creates the metrics. Default: the provider of
	// SetInformerMetricsProvider.
	MetricsProvider InformerMetricsProvider
	// EmitDeltaTypeBookmark queues bookmarks as Bookmark. It requires
	// AtomicEvents. Default: bookmarks are not queued.
	EmitDeltaTypeBookmark bool
}

// RealFIFO is a Queue that returns each change, in the order of the writes
// across all keys. Changes are not merged, and a Delete of an unknown object is
// returned too. PopBatch returns many changes at a time.
//
// One Pop or PopBatch processes at a time; a Pop inside a process function
// deadlocks. Writes wait only while two batches are queued and an item is being
// processed.
//
// Without AtomicEvents, an object is known if it is queued, being processed, or
// in KnownObjects. Replace queues a Deleted with a DeletedFinalStateUnknown for
// each known object that is not in the list, and then a Replaced for each item.
// Resync queues a Sync of each known object that has nothing queued. The
// process function must update KnownObjects before it returns.
//
// The queue is synced immediately if the first write is a single write;
// otherwise when everything that was queued by the end of the first Replace has
// been processed.
type RealFIFO struct {
	name        string
	logger      *slog.Logger
	keyFunc     KeyFunc
	known       deltafifo.KnownObjects[any]
	transformer TransformFunc
	atomic      bool
	bookmarks   bool
	metrics     *queueMetrics

	// mu guards the fields below.
	mu sync.Mutex
	// changed is signaled for everything that a Pop or a write may wait for.
	changed *sync.Cond
	backlog backlog
	// processingItems are the items being processed; processing is true while
	// there are any.
	processingItems []queuedDelta
	processing      bool
	// batchKeys is reused by batchOf. It is empty between calls.
	batchKeys map[string]struct{}
	// initialInBatch is the number of items being processed that are counted in
	// initial.
	initialInBatch int
	closed         bool
	initial        initialList
}

var (
	_ QueueWithBatch         = (*RealFIFO)(nil)
	_ TransformingStore      = (*RealFIFO)(nil)
	_ ReflectorBookmarkStore = (*RealFIFO)(nil)
	_ DoneChecker            = (*RealFIFO)(nil)
)

// NewRealFIFO calls NewRealFIFOWithOptions with these three options.
//
// Deprecated: use NewRealFIFOWithOptions.
func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{
		KeyFunction:  keyFunc,
		KnownObjects: knownObjects,
		Transformer:  transformer,
	})
}

// NewRealFIFOWithOptions returns an empty queue. It panics if the options
// contradict each other, because it cannot return an error.
func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	if problem := opts.contradiction(); problem != "" {
		panic("cache: invalid RealFIFOOptions: " + problem)
	}
	f := &RealFIFO{
		name:        "RealFIFO",
		keyFunc:     opts.KeyFunction,
		transformer: opts.Transformer,
		atomic:      opts.AtomicEvents,
		bookmarks:   opts.EmitDeltaTypeBookmark,
		metrics:     newQueueMetrics(opts.Identifier, opts.MetricsProvider),
		initial:     newInitialList(),
		batchKeys:   map[string]struct{}{},
	}
	for _, name := range []string{opts.Name, opts.Identifier.Name()} {
		if name != "" {
			f.name = name
		}
	}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	f.changed = sync.NewCond(&f.mu)
	f.logger = klogger.FromOption(opts.Logger).With("queue", f.name)
	f.known = knownObjectsOf(opts.KnownObjects, f.logger)
	return f
}

func (o RealFIFOOptions) contradiction() string {
	switch {
	case o.AtomicEvents && o.KnownObjects != nil:
		return "KnownObjects and AtomicEvents are both set; set only one of them"
	case o.AtomicEvents:
		return ""
	case o.KnownObjects == nil:
		return "neither KnownObjects nor AtomicEvents is set; set one of them"
	case o.UnlockWhileProcessing:
		return "UnlockWhileProcessing requires AtomicEvents"
	case o.EmitDeltaTypeBookmark:
		return "EmitDeltaTypeBookmark requires AtomicEvents"
	default:
		return ""
	}
}

// Add queues an Added.
func (f *RealFIFO) Add(obj any) error { return f.put(Added, obj) }

// Update queues an Updated.
func (f *RealFIFO) Update(obj any) error { return f.put(Updated, obj) }

// Delete queues a Deleted. obj may be a DeletedFinalStateUnknown.
func (f *RealFIFO) Delete(obj any) error { return f.put(Deleted, obj) }

func (f *RealFIFO) put(kind DeltaType, obj any) error {
	item, err := f.newItem(kind, obj)
	if err != nil {
		return err
	}
	return f.write(func() {
		f.initial.start(0)
		f.backlog.push(item)
	})
}

// newItem returns the item to queue for obj. The error is a KeyError or a
// *deltafifo.TransformError.
func (f *RealFIFO) newItem(kind DeltaType, obj any) (queuedDelta, error) {
	key, err := queueKey(f.keyFunc, obj)
	if err != nil {
		return queuedDelta{}, asKeyError(obj, err)
	}
	_, tombstone := obj.(DeletedFinalStateUnknown)
	if f.transformer != nil && !tombstone {
		if obj, err = f.transformer(obj); err != nil {
			return queuedDelta{}, &deltafifo.TransformError{Key: key, Err: err}
		}
	}
	return queuedDelta{Delta: Delta{Type: kind, Object: obj}, key: key}, nil
}

// write calls enqueue with the lock held, when the queue is not full.
func (f *RealFIFO) write(enqueue func()) error {
	if err := f.writeLocked(enqueue); err != nil {
		return err
	}
	f.updateMetrics()
	return nil
}

func (f *RealFIFO) writeLocked(enqueue func()) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.processing && f.backlog.len() >= 2*batchSize && !f.closed {
		f.changed.Wait()
	}
	if f.closed {
		return ErrFIFOClosed
	}
	enqueue()
	f.changed.Broadcast()
	return nil
}

// updateMetrics sets the metric of the queue length without the lock, and again
// if the length has changed since, so that the last value is correct.
func (f *RealFIFO) updateMetrics() {
	if f.metrics == nil {
		return
	}
	for last := -1; ; {
		waiting := f.waiting()
		if waiting == last {
			return
		}
		f.metrics.setQueued(waiting)
		last = waiting
	}
}

func (f *RealFIFO) waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.backlog.len()
}

// Bookmark queues a Bookmark if EmitDeltaTypeBookmark is set.
func (f *RealFIFO) Bookmark(resourceVersion string) error {
	if !f.bookmarks {
		return nil
	}
	return f.write(func() {
		f.backlog.push(queuedDelta{Delta: Delta{Type: Bookmark, Object: BookmarkInfo{ResourceVersion: resourceVersion}}})
	})
}

// Transformer returns the Transformer of the options.
func (f *RealFIFO) Transformer() TransformFunc { return f.transformer }

// HasSynced reports whether the queue is synced, as defined for RealFIFO.
func (f *RealFIFO) HasSynced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.initial.done()
}

// HasSyncedChecker returns a DoneChecker for HasSynced.
func (f *RealFIFO) HasSyncedChecker() DoneChecker { return f }

// Name returns the name of the queue.
func (f *RealFIFO) Name() string { return f.name }

// Done returns a channel that is closed when the queue is synced.
func (f *RealFIFO) Done() <-chan struct{} { return f.initial.synced }

// Close closes the queue: writes return an error, and Pop returns the remaining
// items.
func (f *RealFIFO) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.changed.Broadcast()
}

// IsClosed reports whether Close was called.
func (f *RealFIFO) IsClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// backlog holds the queued deltas of a RealFIFO, oldest first.
type backlog struct {
	// items[head:] are the queued deltas; everything before head is zero.
	items []queuedDelta
	head  int
}

// queuedDelta is a delta in the queue. key is the key of its object, or empty
// if the delta does not concern a single object.
type queuedDelta struct {
	Delta
	key string
}

// minBacklogCapacity is the capacity that an empty backlog keeps.
const minBacklogCapacity = 4096

func (b *backlog) len() int { return len(b.items) - b.head }

func (b *backlog) queue() []queuedDelta { return b.items[b.head:] }

func (b *backlog) push(items ...queuedDelta) { b.items = append(b.items, items...) }

// removeOldest removes the oldest n deltas. When more than half of items is
// unused, the deltas are moved to the front, so that a backlog that is never
// empty does not grow without bound.
func (b *backlog) removeOldest(n int) {
	clear(b.items[b.head : b.head+n])
	b.head += n
	switch {
	case b.len() == 0 && cap(b.items) > minBacklogCapacity:
		*b = backlog{}
	case b.head > len(b.items)/2:
		kept := copy(b.items, b.items[b.head:])
		clear(b.items[kept:])
		b.items, b.head = b.items[:kept], 0
	}
}
