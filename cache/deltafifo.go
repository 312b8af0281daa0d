package cache

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/thinformer/thinformer/deltafifo"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// DeltaFIFOOptions configures a DeltaFIFO. The zero value is a working default.
type DeltaFIFOOptions struct {
	// Logger is where is told what no call returns: that an item of a list could
	// not be transformed, or KnownObjects not be read. Default: klog's.
	Logger *klog.Logger
	// Name is the name of the queue, for humans. Default: "DeltaFIFO".
	Name string
	// KeyFunction names an object. Default: MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is the store that the consumer fills with what it pops. It is
	// asked while the consumer works, so both at a time must be safe; and with a
	// lock of the queue held, so it must not call the queue. Default: none, and
	// then an object is known only until it has been processed.
	KnownObjects KeyListerGetter
	// EmitDeltaTypeReplaced has an item of a Replace come as Replaced. Default: as
	// Sync, which came before Replaced did.
	EmitDeltaTypeReplaced bool
	// Transformer changes each object before it is queued. Default: none.
	Transformer TransformFunc
}

// DeltaFIFO is a Queue that hands out one key at a time with everything that has
// happened to it. It is a [deltafifo.DeltaFIFO] without types, and promises what
// that one does; in short:
//
//   - The key with the oldest delta comes first. No key is handed out while
//     somebody processes it, and writing does not wait for processing.
//   - What is queued, or being processed, or in KnownObjects is known. A Delete
//     of what is not known gives nothing; a Replace deletes what is known and not
//     in the list, with a DeletedFinalStateUnknown; a Resync queues a Sync of what
//     is known and has nothing queued. Of two Deleted in a row one is kept.
//   - An item of a Replace that has the UID and the version of the known object
//     gives nothing. An object with another UID than the known one is the Deleted
//     of that one and then an Added.
//   - The queue is synced by a single write that comes first, or when all that
//     the first Replace gave has been processed.
//
// What is put into KnownObjects must be there when the process function returns.
type DeltaFIFO struct {
	queue       *deltafifo.DeltaFIFO[any]
	name        string
	keyFunc     KeyFunc
	transformer TransformFunc
	// replaced is what an item of a Replace is called.
	replaced DeltaType
	// resyncs: there are known objects to hand out once more.
	resyncs bool
	// begun: something was written, so that what comes first is settled.
	begun  atomic.Bool
	closed atomic.Bool
}

var (
	_ Queue             = (*DeltaFIFO)(nil)
	_ TransformingStore = (*DeltaFIFO)(nil)
	_ DoneChecker       = (*DeltaFIFO)(nil)
)

// NewDeltaFIFO is NewDeltaFIFOWithOptions with these two.
//
// Deprecated: use NewDeltaFIFOWithOptions, and there EmitDeltaTypeReplaced:
// without it nothing tells the items of a list from those of a resync.
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
	logger := loggerOf(opts.Logger).With("queue", f.name)
	beneath := deltafifo.Options[any]{
		KeyFunc: func(obj any) (string, error) {
			key, err := f.KeyOf(obj)
			if err != nil {
				return "", asKeyError(obj, err)
			}
			return key, nil
		},
		MetaFunc:     identityOf,
		KnownObjects: knownBy(opts.KnownObjects, logger),
		Logger:       logger,
	}
	if f.transformer != nil {
		beneath.Transform = f.transform
	}
	f.queue = deltafifo.New(beneath)
	return f
}

// identityOf reads the UID and the version of an object that has metadata. A
// tombstone has neither: what it says of the object may be out of date.
func identityOf(obj any) (types.UID, string) {
	object, err := metadataOf[identified](obj)
	if err != nil {
		return "", ""
	}
	return object.GetUID(), object.GetResourceVersion()
}

type identified interface {
	GetUID() types.UID
	GetResourceVersion() string
}

func (f *DeltaFIFO) transform(obj any) (any, bool, error) {
	if _, ok := obj.(DeletedFinalStateUnknown); ok {
		return obj, true, nil // what it holds has been transformed
	}
	obj, err := f.transformer(obj)
	return obj, true, err
}

// begin settles that single events come first, if nothing came yet.
func (f *DeltaFIFO) begin() {
	if !f.begun.Load() && f.begun.CompareAndSwap(false, true) {
		f.queue.NoInitialList()
	}
}

// Add queues an Added.
func (f *DeltaFIFO) Add(obj any) error {
	f.begin()
	return queueError(obj, f.queue.Add(obj))
}

// Update queues an Updated.
func (f *DeltaFIFO) Update(obj any) error {
	f.begin()
	return queueError(obj, f.queue.Update(obj))
}

// Delete queues a Deleted, if the object is known. obj may be a
// DeletedFinalStateUnknown.
func (f *DeltaFIFO) Delete(obj any) error {
	f.begin()
	return queueError(obj, f.queue.Delete(obj))
}

// Replace makes list all that is known, as one change: all of it or, with an
// error, nothing is queued. An item that cannot be transformed is logged, and
// stays as it was known.
func (f *DeltaFIFO) Replace(list []any, resourceVersion string) error {
	return f.replaceBy(itemsOf(list), func() string { return resourceVersion })
}

// replaceBy is Replace by a list that is still coming in.
func (f *DeltaFIFO) replaceBy(items iter.Seq2[any, error], version func() string) error {
	if err := f.queue.Replace(items, version); err != nil {
		return queueError(nil, err)
	}
	f.begun.Store(true)
	f.queue.Settle()
	return nil
}

// itemsOf is a list as the rooms beneath read one.
func itemsOf(list []any) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, obj := range list {
			if !yield(obj, nil) {
				return
			}
		}
	}
}

// Resync queues a Sync of each object of KnownObjects that has nothing queued.
func (f *DeltaFIFO) Resync() error {
	if !f.resyncs {
		return nil
	}
	return queueError(nil, f.queue.Resync())
}

// Pop waits for a key that nobody processes, and calls process with the Deltas of
// it, which are the caller's to keep. It returns them, and what process returned:
// what was popped does not come back on an error.
func (f *DeltaFIFO) Pop(process PopProcessFunc) (any, error) {
	if process == nil {
		return nil, errNoProcess
	}
	var (
		popped any // the Deltas, made an any once
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

// deltasOf is what the queue beneath hands out as client-go's consumers get it.
// A resync of what cannot be read is left out: nobody could do anything with it.
func (f *DeltaFIFO) deltasOf(beneath deltafifo.Deltas[any]) Deltas {
	deltas := make(Deltas, 0, len(beneath))
	for _, d := range beneath {
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

// KeyOf is the key of an object, of a tombstone, or of Deltas.
func (f *DeltaFIFO) KeyOf(obj any) (string, error) { return queueKey(f.keyFunc, obj) }

// Transformer is the function of the options.
func (f *DeltaFIFO) Transformer() TransformFunc { return f.transformer }

// HasSynced reports whether the queue is synced: see DeltaFIFO.
func (f *DeltaFIFO) HasSynced() bool { return f.queue.HasSynced() }

// HasSyncedChecker is HasSynced to wait for.
func (f *DeltaFIFO) HasSyncedChecker() DoneChecker { return f }

// Name is the name of the queue.
func (f *DeltaFIFO) Name() string { return f.name }

// Done is closed when the queue is synced.
func (f *DeltaFIFO) Done() <-chan struct{} { return f.queue.Synced() }

// Close ends the queue: writing is an error from now on, and Pop hands out what
// is left.
func (f *DeltaFIFO) Close() {
	f.closed.Store(true)
	f.queue.Close()
}

// IsClosed reports whether Close was called.
func (f *DeltaFIFO) IsClosed() bool { return f.closed.Load() }
