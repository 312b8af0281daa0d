package cache

import (
	"log/slog"
	"sync"

	"github.com/thinformer/thinformer/deltafifo"
	"k8s.io/klog/v2"
)

// RealFIFOOptions configures a RealFIFO. Either KnownObjects is set or
// AtomicEvents is; the other fields have working defaults.
type RealFIFOOptions struct {
	// Logger is where is told that KnownObjects cannot be read. Default: klog's.
	Logger *klog.Logger
	// Name is the name of the queue, for humans, unless Identifier has one.
	// Default: "RealFIFO".
	Name string
	// KeyFunction names an object. Default: MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is the store that the consumer fills with what it pops. It is
	// asked while the consumer works, so both at a time must be safe; and with a
	// lock of the queue held, so it must not call the queue.
	KnownObjects KeyListerGetter
	// Transformer changes each object before it is queued. Default: none.
	Transformer TransformFunc
	// AtomicEvents has a Replace come as one ReplacedAll, and a Resync as one
	// SyncAll. What they mean for the single objects, the consumer knows.
	AtomicEvents bool
	// UnlockWhileProcessing changes nothing: writing never waits for processing,
	// unless very much waits already. It needs AtomicEvents, as in client-go.
	UnlockWhileProcessing bool
	// Identifier is whose metrics are told. Default: there are none.
	Identifier InformerNameAndResource
	// MetricsProvider makes the metrics. Default: that of
	// SetInformerMetricsProvider.
	MetricsProvider InformerMetricsProvider
	// EmitDeltaTypeBookmark has a bookmark come as a Bookmark. It needs
	// AtomicEvents. Default: bookmarks are not queued.
	EmitDeltaTypeBookmark bool
}

// RealFIFO is a Queue that hands out every single change, in the order in which
// they came across all keys: nothing is merged, and a Delete of what nobody knows
// is handed out too. PopBatch takes many at a time.
//
// One Pop or PopBatch processes at a time; within a process function another one
// waits for ever. Writing waits only while there are two batches in the queue and
// something is being processed.
//
// Without AtomicEvents, what is queued, or being processed, or in KnownObjects is
// known: a Replace queues a Deleted with a DeletedFinalStateUnknown for each known
// object that its list lacks, and then a Replaced for each item, and a Resync a
// Sync of each that has nothing queued. What is put into KnownObjects must be
// there when the process function returns.
//
// The queue is synced by a single write that comes first, or when all that was
// queued by the end of the first Replace has been processed.
type RealFIFO struct {
	name        string
	logger      *slog.Logger
	keyFunc     KeyFunc
	known       deltafifo.KnownObjects[any]
	transformer TransformFunc
	atomic      bool
	bookmarks   bool
	metrics     *queueMetrics

	// mu guards everything below.
	mu sync.Mutex
	// changed is told of everything that a Pop or a write may wait for.
	changed *sync.Cond
	backlog backlog
	// working is what is being processed; busy: something is.
	working []queuedDelta
	busy    bool
	// batchKeys is empty: the next batch is made with it.
	batchKeys map[string]struct{}
	// counted is how much of what is being processed initial has a count of.
	counted int
	closed  bool
	initial initialList
}

var (
	_ QueueWithBatch         = (*RealFIFO)(nil)
	_ TransformingStore      = (*RealFIFO)(nil)
	_ ReflectorBookmarkStore = (*RealFIFO)(nil)
	_ DoneChecker            = (*RealFIFO)(nil)
)

// NewRealFIFO is NewRealFIFOWithOptions with these three.
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
// contradict each other: it has no error to return.
func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	if problem := opts.contradiction(); problem != "" {
		panic("cache: the options of a RealFIFO: " + problem)
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
	f.logger = loggerOf(opts.Logger).With("queue", f.name)
	f.known = knownBy(opts.KnownObjects, f.logger)
	return f
}

func (o RealFIFOOptions) contradiction() string {
	switch {
	case o.AtomicEvents && o.KnownObjects != nil:
		return "KnownObjects with AtomicEvents: only the consumer knows what a whole list changes"
	case o.AtomicEvents:
		return ""
	case o.KnownObjects == nil:
		return "neither KnownObjects nor AtomicEvents: nobody knows what a list deletes"
	case o.UnlockWhileProcessing:
		return "UnlockWhileProcessing without AtomicEvents"
	case o.EmitDeltaTypeBookmark:
		return "EmitDeltaTypeBookmark without AtomicEvents"
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
	item, err := f.read(kind, obj)
	if err != nil {
		return err
	}
	return f.write(func() {
		f.initial.begin(0)
		f.backlog.push(item)
	})
}

// read is what is to be queued of an object that came in. The error is a KeyError
// or a *deltafifo.TransformError.
func (f *RealFIFO) read(kind DeltaType, obj any) (queuedDelta, error) {
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

// write calls file with the lock held, when there is room.
func (f *RealFIFO) write(file func()) error {
	if err := f.writeLocked(file); err != nil {
		return err
	}
	f.tell()
	return nil
}

func (f *RealFIFO) writeLocked(file func()) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.busy && f.backlog.len() >= 2*batchSize && !f.closed {
		f.changed.Wait()
	}
	if f.closed {
		return ErrFIFOClosed
	}
	file()
	f.changed.Broadcast()
	return nil
}

// tell sets the metric of how much waits, without the lock, and again if that is
// no longer true: so what is set last is true.
func (f *RealFIFO) tell() {
	if f.metrics == nil {
		return
	}
	for told := -1; ; {
		waiting := f.waiting()
		if waiting == told {
			return
		}
		f.metrics.queued(waiting)
		told = waiting
	}
}

func (f *RealFIFO) waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.backlog.len()
}

// Bookmark queues a Bookmark, if that is wanted.
func (f *RealFIFO) Bookmark(resourceVersion string) error {
	if !f.bookmarks {
		return nil
	}
	return f.write(func() {
		f.backlog.push(queuedDelta{Delta: Delta{Type: Bookmark, Object: BookmarkInfo{ResourceVersion: resourceVersion}}})
	})
}

// Transformer is the function of the options.
func (f *RealFIFO) Transformer() TransformFunc { return f.transformer }

// HasSynced reports whether the queue is synced: see RealFIFO.
func (f *RealFIFO) HasSynced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.initial.done()
}

// HasSyncedChecker is HasSynced to wait for.
func (f *RealFIFO) HasSyncedChecker() DoneChecker { return f }

// Name is the name of the queue.
func (f *RealFIFO) Name() string { return f.name }

// Done is closed when the queue is synced.
func (f *RealFIFO) Done() <-chan struct{} { return f.initial.synced }

// Close ends the queue: writing is an error from now on, and Pop hands out what
// is left.
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
