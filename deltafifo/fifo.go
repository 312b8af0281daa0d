package deltafifo

import (
	"iter"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// DeltaFIFO is a queue between a reflector, which writes the changes of the
// source, and a consumer, which applies them to a store. The package comment has
// its guarantees. All methods may be called at any time from any goroutine.
type DeltaFIFO[T any] struct {
	keyFunc   func(T) (string, error)
	meta      func(T) (uid types.UID, version string)
	known     KnownObjects[T]
	transform func(T) (T, bool, error)
	onError   func(key string, err error)
	logger    *slog.Logger

	// synced is closed when the first Replace has been processed.
	synced chan struct{}

	// mu guards everything below.
	mu  sync.Mutex
	log log[T]
	// keys has a state for each key that is queued or being processed.
	keys keyTable[T]
	// processing has the deliveries that are being processed, in the order in
	// which they were delivered.
	processing []*delivery[T]
	// waiters are the calls that wait for something to be delivered.
	waiters []*delivery[T]
	// activeReplaces are the running Replaces that compare items with known
	// objects.
	activeReplaces []*relist[T]
	// versionsInvalid: the next Replace must not compare versions.
	versionsInvalid bool
	// seq is the sequence number of the newest node.
	seq uint64
	// newestVersion is the version up to which all changes of the source have
	// been queued. It changes only when a node is queued or a marker is
	// extended.
	newestVersion string
	// firstReplaceEnd is the sequence number of the end of the first Replace; 0
	// before that.
	firstReplaceEnd uint64
	// knownChanges increases whenever the known state of a key may have changed.
	// Successful processing does not change the known state: it moves it to
	// KnownObjects. It starts at 1, so that a checkedAt of 0 means never.
	knownChanges uint64
	closed       bool

	nodes          freeList[node[T]]
	idleDeliveries []*delivery[T]
}

// New returns an empty queue.
func New[T any](o Options[T]) *DeltaFIFO[T] {
	return &DeltaFIFO[T]{
		keyFunc:      keyFuncOf(o),
		meta:         o.MetaFunc,
		known:        o.KnownObjects,
		transform:    o.Transform,
		onError:      o.OnError,
		logger:       o.Logger,
		synced:       make(chan struct{}),
		keys:         newKeyTable[T](),
		knownChanges: 1,
	}
}

// DeltaFIFO implements the store of a reflector.
var _ interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	Replace(items iter.Seq2[any, error], version func() string) error
	Bookmark(version string)
	Resync() error
} = (*DeltaFIFO[any])(nil)

// Len returns the number of queued deltas. It takes no lock, so that monitoring
// does not slow down the queue.
func (q *DeltaFIFO[T]) Len() int { return int(q.log.deltas.Load()) }

// Close ends writing: every later write returns ErrClosed (Bookmark does
// nothing), and Pop and PopBatch return it after everything queued has been
// delivered. Blocked calls are woken. A queue that is not synced by then becomes
// synced only if the first Replace is already queued and is then processed.
func (q *DeltaFIFO[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

// enqueue appends a delta to the log and to the chain of its key.
func (q *DeltaFIFO[T]) enqueue(slot *slot[T], kind DeltaType, obj T, finalStateUnknown, relist bool) {
	if slot.state == nil {
		q.keys.fill(slot)
	}
	s := slot.state
	n := q.nodes.get()
	n.state, n.kind, n.object = s, kind, obj
	n.finalStateUnknown, n.relist = finalStateUnknown, relist
	if s.last == nil {
		s.first = n
	} else {
		s.last.nextOfKey = n
	}
	s.last = n
	q.appendNode(n)
	q.keyChanged(slot.key)
}

// appendNode appends a node to the log.
func (q *DeltaFIFO[T]) appendNode(n *node[T]) {
	q.seq++
	n.seq, n.versionBefore = q.seq, q.newestVersion
	q.log.append(n)
	q.wake()
}

// keyChanged records that the known state of a key has changed.
func (q *DeltaFIFO[T]) keyChanged(key string) {
	q.knownChanges++
	for _, r := range q.activeReplaces {
		r.staleKeys[key] = struct{}{}
	}
}

// recycle clears a node for its next use.
func (q *DeltaFIFO[T]) recycle(n *node[T]) {
	*n = node[T]{}
	q.nodes.put(n)
}
