package deltafifo

import (
	"iter"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// DeltaFIFO is the queue between a reflector, which writes what the server
// says, and the one who applies it to a store. See the package comment for
// what it promises. All methods may be called at any time from any goroutine.
type DeltaFIFO[T any] struct {
	keyFunc   func(T) (string, error)
	meta      func(T) (uid types.UID, version string)
	known     KnownObjects[T]
	transform func(T) (T, bool, error)
	onError   func(key string, err error)
	logger    *slog.Logger

	// synced is closed when the end of the first Replace has been passed.
	synced chan struct{}

	// mu guards everything below.
	mu  sync.Mutex
	log log[T]
	// keys has a state for each key that is queued or being processed.
	keys keyTable[T]
	// open is what is being processed, in the order it was handed out.
	open []*handout[T]
	// waiting is who waits for something to be handed out.
	waiting []*handout[T]
	// replacing is the Replaces under way that compare items to known objects.
	replacing []*relist[T]
	// distrusts: the next Replace must not go by versions.
	distrusts bool
	// seq is the arrival number of the newest node.
	seq uint64
	// newest is the version up to which the source has told us everything. It
	// changes only together with a node that is filed or a marker that grows.
	newest string
	// firstEnd is the arrival number of the end of the first Replace; 0 until
	// there is one.
	firstEnd uint64
	// changes grows whenever the known state of some key may have changed.
	// Processing does not change it, unless it fails: it moves the state to
	// KnownObjects. From 1, so that 0 is the stamp of what has not been asked.
	changes uint64
	closed  bool

	nodes freeList[node[T]]
	idle  []*handout[T]
}

// New returns an empty queue.
func New[T any](o Options[T]) *DeltaFIFO[T] {
	return &DeltaFIFO[T]{
		keyFunc:   keyFuncOf(o),
		meta:      o.MetaFunc,
		known:     o.KnownObjects,
		transform: o.Transform,
		onError:   o.OnError,
		logger:    o.Logger,
		synced:    make(chan struct{}),
		keys:      newKeyTable[T](),
		changes:   1,
	}
}

// What a reflector asks of the store that it fills.
var _ interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	Replace(items iter.Seq2[any, error], version func() string) error
	Bookmark(version string)
	Resync() error
} = (*DeltaFIFO[any])(nil)

// Len returns how many deltas are queued and not yet handed out. It takes no
// lock: who watches a queue does not slow it down.
func (q *DeltaFIFO[T]) Len() int { return int(q.log.deltas.Load()) }

// Close ends the writing: every further write returns ErrClosed (Bookmark does
// nothing), and Pop and PopBatch return it when all that is queued has been
// handed out. Those who wait are woken. A queue that was not synced by then
// becomes so only if the first Replace was complete and is popped.
func (q *DeltaFIFO[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

// file appends a delta to the log and to its key's chain.
func (q *DeltaFIFO[T]) file(at *slot[T], kind DeltaType, obj T, finalStateUnknown, relist bool) {
	if at.state == nil {
		q.keys.fill(at)
	}
	s := at.state
	n := q.nodes.get()
	n.state, n.kind, n.object = s, kind, obj
	n.finalStateUnknown, n.relist = finalStateUnknown, relist
	if s.last == nil {
		s.first = n
	} else {
		s.last.chain = n
	}
	s.last = n
	q.arrive(n)
	q.changed(at.key)
}

// arrive gives a node its place in the order of arrival.
func (q *DeltaFIFO[T]) arrive(n *node[T]) {
	q.seq++
	n.seq, n.before = q.seq, q.newest
	q.log.append(n)
	q.wake()
}

// changed notes that the known state of a key is another one.
func (q *DeltaFIFO[T]) changed(key string) {
	q.changes++
	for _, r := range q.replacing {
		r.touched[key] = struct{}{}
	}
}

// discard clears a node for its next use.
func (q *DeltaFIFO[T]) discard(n *node[T]) {
	*n = node[T]{}
	q.nodes.put(n)
}
