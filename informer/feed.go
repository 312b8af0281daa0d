package informer

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
)

// A feed brings the changes of one source to the store: a reflector, a queue, and the
// loop that processes the queue. An ordinary informer has one feed. An informer of
// several namespaces has one for each namespace, so that the versions, the epoch and
// the relists of a namespace are its own.
type feed[T any] struct {
	shared *shared[T]
	// name identifies the feed in logs and errors.
	name string
	// namespace is the only namespace whose objects the feed may change, "" for the
	// feed of an ordinary informer.
	namespace  string
	queue      *deltafifo.DeltaFIFO[T]
	controller *Controller[T]
	waiters    versionWaiters
	// ownVersion is the version up to which the store has the changes of this feed. It
	// is nil in the feed of an ordinary informer: its version is that of the store.
	ownVersion *atomic.Pointer[string]
	// listed: the store has the first list. It is not set in the feed of an ordinary
	// informer.
	listed atomic.Bool
	// attempted is set when the store has the first list or the first attempt has failed,
	// stored when the store has the list, and settled then or when the server forbids
	// it. All are nil in the feed of an ordinary informer.
	attempted, stored, settled *signal
	// firstEpoch is the epoch with which the feed began: another one than that of any
	// earlier feed of the namespace.
	firstEpoch int
	// removed is closed when the informer no longer covers the namespace. It is nil in
	// the feed of an ordinary informer.
	removed chan struct{}
}

// newFeed returns a feed with everything but the functions that depend on the kind of
// informer: known are the objects of the store that the feed may change.
func newFeed[T any](s *shared[T], name string, known deltafifo.KnownObjects[T]) *feed[T] {
	return &feed[T]{shared: s, name: name, queue: deltafifo.New(deltafifo.Options[T]{
		KeyFunc:      s.keyFunc,
		MetaFunc:     s.storeConfig.MetaFunc,
		KnownObjects: known,
		Transform:    s.options.Transform,
		OnError:      s.onError(name),
		Logger:       s.options.Logger,
	})}
}

// connect sets the source and the function that processes its changes.
func (f *feed[T]) connect(source listwatch.ListerWatcher[T], o reflector.Options[T], process func([]deltafifo.Delta[T], deltafifo.Batch) error) {
	f.controller = NewController(Config[T]{Queue: f.queue, ListerWatcher: source, ProcessBatch: process, Reflector: o})
}

// version returns the version up to which the store has the changes of the feed.
func (f *feed[T]) version() string {
	if f.ownVersion == nil {
		return f.shared.store.Version()
	}
	if version := f.ownVersion.Load(); version != nil {
		return *version
	}
	return ""
}

// reached records the version of a batch that the store has.
func (f *feed[T]) reached(batch deltafifo.Batch) {
	if f.ownVersion == nil {
		return
	}
	if batch.Version != "" && batch.Version != f.version() {
		version := batch.Version // not &batch.Version, which would move every batch to the heap
		f.ownVersion.Store(&version)
	}
	if batch.Replace && !f.listed.Swap(true) {
		f.attempted.set()
		f.stored.set()
		f.settled.set()
	}
}

func (f *feed[T]) epoch() int { return int(f.waiters.epoch.Load()) }

// feeds are the feeds of an informer. It is an interface so that only programs that
// create informers of several namespaces contain their code.
type feeds[T any] interface {
	// all returns the feeds, in the order of their namespaces. Do not modify the slice.
	all() []*feed[T]
	// of returns the feed of the objects of a namespace, nil if there is none.
	of(namespace string) *feed[T]
	// run runs the feeds until ctx is done.
	run(ctx context.Context) error
	// check returns the error that run would return now, as far as the sources know it.
	check() error
	// synced returns a channel that is closed when all initial lists are in the store.
	synced() <-chan struct{}
	// completes reports whether a first Replace of f completes the initial list of the
	// informer. The store has that Replace.
	completes(f *feed[T]) bool
	// waitForListOf waits for the first attempt of the list that would contain a key, and
	// returns an error if the store does not have that list.
	waitForListOf(ctx context.Context, key string) error
	// pendingReason returns why there are no feeds yet, nil if the feeds are known.
	pendingReason() error
	// sourceIn returns the source of the objects of a namespace.
	sourceIn(namespace string) (listwatch.ListerWatcher[T], error)
	// namespaceStates returns the states of the namespaces and their number. An
	// ordinary informer has none.
	namespaceStates() ([]NamespaceState, int)
	// setNamespaces replaces the set of namespaces.
	setNamespaces(namespaces []string) error
}

// oneFeed is the feed of an ordinary informer.
type oneFeed[T any] struct {
	*feed[T]
	list [1]*feed[T]
}

func newOneFeed[T any](s *shared[T]) *oneFeed[T] {
	f := newFeed(s, s.name, s.store)
	f.connect(s.source, s.reflectorOptions(s.name, s.options.Filter), f.handleDeltas)
	return &oneFeed[T]{feed: f, list: [1]*feed[T]{f}}
}

func (o *oneFeed[T]) all() []*feed[T] { return o.list[:] }

func (o *oneFeed[T]) of(namespace string) *feed[T] {
	if scope := o.shared.namespace; scope != "" && scope != namespace {
		return nil
	}
	return o.feed
}

func (o *oneFeed[T]) run(ctx context.Context) error { return o.controller.Run(ctx) }

func (o *oneFeed[T]) check() error { return listwatch.Check(o.controller.config.ListerWatcher) }

func (o *oneFeed[T]) synced() <-chan struct{} { return o.queue.Synced() }

func (o *oneFeed[T]) completes(*feed[T]) bool { return true }

// waitForListOf does not wait: a controller reads an ordinary informer when it is synced.
func (o *oneFeed[T]) waitForListOf(context.Context, string) error { return nil }

func (o *oneFeed[T]) pendingReason() error { return nil }

func (o *oneFeed[T]) sourceIn(string) (listwatch.ListerWatcher[T], error) {
	return o.shared.source, nil
}

func (o *oneFeed[T]) namespaceStates() ([]NamespaceState, int) { return nil, 0 }

func (o *oneFeed[T]) setNamespaces([]string) error {
	return fmt.Errorf("%w: %s lists a fixed set: create the informer by ForNamespaces", ErrNoNamespace, o.shared.name)
}
