// The work is done by package deltafifo.

package cache

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/deltafifo"
)

// DeltaFIFOOptions configures a DeltaFIFO. The zero value is a working default.
type DeltaFIFOOptions struct {
	// Logger receives errors that no call returns: an item of a list could not
	// be transformed, or KnownObjects could not be read. Default: klog's.
	Logger *klog.Logger
	// Name identifies the queue in logs. Default: "DeltaFIFO".
	Name string
	// KeyFunction returns the key of an object. Default: MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is the store that the consumer fills with popped objects. It
	// is read concurrently with the consumer, so it must be safe for concurrent
	// use, and with the lock of the queue held, so it must not call the queue.
	// Default: none; then an object is known only until it has been processed.
	KnownObjects KeyListerGetter
	// EmitDeltaTypeReplaced makes Replace queue its items as Replaced. Default:
	// as Sync, for compatibility with consumers older than Replaced.
	EmitDeltaTypeReplaced bool
	// Transformer changes each object before it is queued. Default: none.
	Transformer TransformFunc
}

// DeltaFIFO is a Queue that returns one key at a time with all changes of its
// object. It is an untyped [deltafifo.DeltaFIFO] and has the same guarantees:
//
//   - The key with the oldest delta is returned first. A key is not returned
//     while it is being processed, and writes do not wait for processing.
//   - An object is known if it is queued, being processed, or in KnownObjects.
//     Delete of an unknown object queues nothing. Replace deletes known objects
//     that are not in the list, with a DeletedFinalStateUnknown. Resync queues
//     a Sync of known objects that have nothing queued. Two consecutive Deleted
//     of an object become one.
//   - An item of a Replace with the UID and the version of the known object
//     queues nothing. An object with another UID than the known one queues a
//     Deleted of the known object and an Added.
//   - The queue is synced immediately if the first write is a single write;
//     otherwise when all changes of the first Replace have been processed.
//
// The process function must update KnownObjects before it returns.
type DeltaFIFO struct {
	queue       *deltafifo.DeltaFIFO[any]
	name        string
	keyFunc     KeyFunc
	transformer TransformFunc
	// replaced is the type of the items of a Replace.
	replaced DeltaType
	// resyncs is true if there are known objects to resync.
	resyncs bool
	// started is true after the first write, which decides when the queue is
	// synced.
	started atomic.Bool
	closed  atomic.Bool
}

var (
	_ Queue             = (*DeltaFIFO)(nil)
	_ TransformingStore = (*DeltaFIFO)(nil)
	_ DoneChecker       = (*DeltaFIFO)(nil)
)

// NewDeltaFIFO calls NewDeltaFIFOWithOptions with these two options.
//
// Deprecated: use NewDeltaFIFOWithOptions with EmitDeltaTypeReplaced. Without
// it, the items of a list cannot be distinguished from those of a resync.
func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

// NewDeltaFIFOWithOptions returns an empty queue.
func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	f := &DeltaFIFO{
		name:        opts.Name,
		keyFunc:     opts.KeyFunction,
		transformer: opts.Transformer,
		replaced:    Sync,
		resyncs:     opts.KnownObjects != nil,
	}
	if f.name == "" {
		f.name = "DeltaFIFO"
	}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	if opts.EmitDeltaTypeReplaced {
		f.replaced = Replaced
	}
	logger := klogger.FromOption(opts.Logger).With("queue", f.name)
	options := deltafifo.Options[any]{
		KeyFunc: func(obj any) (string, error) {
			key, err := f.KeyOf(obj)
			if err != nil {
				return "", asKeyError(obj, err)
			}
			return key, nil
		},
		MetaFunc:     identityOf,
		KnownObjects: knownObjectsOf(opts.KnownObjects, logger),
		Logger:       logger,
	}
	if f.transformer != nil {
		options.Transform = f.transform
	}
	f.queue = deltafifo.New(options)
	return f
}

// identityOf returns the UID and the version of an object with metadata. It
// returns neither for a tombstone, whose object may be out of date.
func identityOf(obj any) (types.UID, string) {
	object, err := metadata.As[uidAndVersion](obj)
	if err != nil {
		return "", ""
	}
	return object.GetUID(), object.GetResourceVersion()
}

type uidAndVersion interface {
	GetUID() types.UID
	GetResourceVersion() string
}

func (f *DeltaFIFO) transform(obj any) (any, bool, error) {
	if _, ok := obj.(DeletedFinalStateUnknown); ok {
		return obj, true, nil // its object is already transformed
	}
	obj, err := f.transformer(obj)
	return obj, true, err
}

// start marks the queue as started. If nothing was written before, there is no
// initial list.
func (f *DeltaFIFO) start() {
	if !f.started.Load() && f.started.CompareAndSwap(false, true) {
		f.queue.SkipInitialList()
	}
}

// Add queues an Added.
func (f *DeltaFIFO) Add(obj any) error {
	f.start()
	return queueError(obj, f.queue.Add(obj))
}

// Update queues an Updated.
func (f *DeltaFIFO) Update(obj any) error {
	f.start()
	return queueError(obj, f.queue.Update(obj))
}

// Delete queues a Deleted if the object is known. obj may be a
// DeletedFinalStateUnknown.
func (f *DeltaFIFO) Delete(obj any) error {
	f.start()
	return queueError(obj, f.queue.Delete(obj))
}

// Replace replaces all known objects with list as one change. On an error,
// nothing is queued. An item that cannot be transformed is logged and keeps its
// known state.
func (f *DeltaFIFO) Replace(list []any, resourceVersion string) error {
	return f.replaceBy(itemsOf(list), func() string { return resourceVersion })
}

// replaceBy is Replace for a list that is still being received.
func (f *DeltaFIFO) replaceBy(items iter.Seq2[any, error], version func() string) error {
	if err := f.queue.Replace(items, version); err != nil {
		return queueError(nil, err)
	}
	f.started.Store(true)
	f.queue.ConsumeMarkers()
	return nil
}

// itemsOf returns an iterator over list.
func itemsOf(list []any) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, obj := range list {
			if !yield(obj, nil) {
				return
			}
		}
	}
}

// Resync queues a Sync of each object in KnownObjects that has nothing queued.
func (f *DeltaFIFO) Resync() error {
	if !f.resyncs {
		return nil
	}
	return queueError(nil, f.queue.Resync())
}

// Pop waits for a key that is not being processed and calls process with its
// Deltas, which process may keep. It returns the Deltas and the error of
// process. On an error, the Deltas are not queued again.
func (f *DeltaFIFO) Pop(process PopProcessFunc) (any, error) {
	if process == nil {
		return nil, errNoProcess
	}
	var (
		popped any // the Deltas, converted to any once
		failed error
	)
	for popped == nil {
		err := f.queue.Pop(context.Background(), func(_ string, d deltafifo.Deltas[any], isInInitialList bool) error {
			if deltas := f.deltasOf(d); len(deltas) > 0 {
				popped = deltas
				failed = process(popped, isInInitialList)
			}
			return failed
		})
		if popped == nil && err != nil {
			return nil, queueError(nil, err)
		}
	}
	return popped, failed
}

// deltasOf converts deltas of package deltafifo. It omits a Sync of an object
// that could not be read.
func (f *DeltaFIFO) deltasOf(internal deltafifo.Deltas[any]) Deltas {
	deltas := make(Deltas, 0, len(internal))
	for _, d := range internal {
		switch {
		case d.FinalStateUnknown:
			deltas = append(deltas, Delta{Type: Deleted, Object: DeletedFinalStateUnknown{Key: d.Key, Obj: d.Object}})
		case d.Type != deltafifo.Sync || d.Object != nil:
			deltas = append(deltas, Delta{Type: f.typeOf(d.Type), Object: d.Object})
		}
	}
	return deltas
}

func (f *DeltaFIFO) typeOf(t deltafifo.DeltaType) DeltaType {
	switch t {
	case deltafifo.Added:
		return Added
	case deltafifo.Updated:
		return Updated
	case deltafifo.Deleted:
		return Deleted
	case deltafifo.Replaced:
		return f.replaced
	default:
		return Sync
	}
}

// KeyOf returns the key of an object, of a tombstone, or of Deltas.
func (f *DeltaFIFO) KeyOf(obj any) (string, error) { return queueKey(f.keyFunc, obj) }

// Transformer returns the Transformer of the options.
func (f *DeltaFIFO) Transformer() TransformFunc { return f.transformer }

// HasSynced reports whether the queue is synced, as defined for DeltaFIFO.
func (f *DeltaFIFO) HasSynced() bool { return f.queue.HasSynced() }

// HasSyncedChecker returns a DoneChecker for HasSynced.
func (f *DeltaFIFO) HasSyncedChecker() DoneChecker { return f }

// Name returns the name of the queue.
func (f *DeltaFIFO) Name() string { return f.name }

// Done returns a channel that is closed when the queue is synced.
func (f *DeltaFIFO) Done() <-chan struct{} { return f.queue.Synced() }

// Close closes the queue: writes return an error, and Pop returns the remaining
// items.
func (f *DeltaFIFO) Close() {
	f.closed.Store(true)
	f.queue.Close()
}

// IsClosed reports whether Close was called.
func (f *DeltaFIFO) IsClosed() bool { return f.closed.Load() }

// KeyLister lists the keys of a store.
type KeyLister interface {
	ListKeys() []string
}

// KeyGetter returns objects by their keys.
type KeyGetter interface {
	GetByKey(key string) (value any, exists bool, err error)
}

// KeyListerGetter is the part of a store that a queue reads.
type KeyListerGetter interface {
	KeyLister
	KeyGetter
}

// knownObjectsOf returns store in the form that package deltafifo uses, or nil.
// A store of this package is used without copying.
func knownObjectsOf(store KeyListerGetter, logger *slog.Logger) deltafifo.KnownObjects[any] {
	if store == nil {
		return nil
	}
	if own, ok := store.(*indexerOf[any]); ok {
		return own.ix
	}
	return customKnownObjects{store: store, logger: logger}
}

// customKnownObjects adapts a KeyListerGetter of another package.
type customKnownObjects struct {
	store  KeyListerGetter
	logger *slog.Logger
}

// Get returns nil for an object that exists but cannot be read. Its tombstone
// will be empty.
func (s customKnownObjects) Get(key string) (any, bool) {
	obj, exists, err := s.store.GetByKey(key)
	if err != nil {
		s.logger.Error("Failed to read an object from KnownObjects", "key", key, "err", err)
		return nil, true
	}
	return obj, exists
}

func (s customKnownObjects) Keys() iter.Seq[string] { return slices.Values(s.store.ListKeys()) }
