package informer

import (
	"context"
	"errors"
	"sync"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
)

// errFeedEnded: a function of the user has ended the goroutine of a feed, as t.FailNow
// does in a MutationGuard.
var errFeedEnded = errors.New("informer: a function of the Options has ended the goroutine that called it")

// run starts the feeds of the set, and of each set that replaces it, until ctx is done.
func (n *namespaceSet[T]) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var feeds sync.WaitGroup
	for ctx.Err() == nil {
		n.startMembers(ctx, &feeds, cancel)
		n.announceSync()
		select {
		case <-ctx.Done():
		case <-n.changed:
		}
	}
	n.mu.Lock()
	n.ended = true
	n.mu.Unlock()
	feeds.Wait()
	return n.err
}

// wake makes run look for feeds to start.
func (n *namespaceSet[T]) wake() {
	select {
	case n.changed <- struct{}{}:
	default:
	}
}

// startMembers starts the members that have not been started, except those whose
// namespace still has the goroutine of a removed feed.
func (n *namespaceSet[T]) startMembers(ctx context.Context, feeds *sync.WaitGroup, stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, covered := range n.all() {
		f := n.members[covered.namespace]
		if f.cancel != nil || n.running[f.namespace] != nil {
			continue
		}
		feedContext, cancel := context.WithCancel(ctx)
		f.cancel = cancel
		n.running[f.namespace] = f
		feeds.Go(func() { n.runFeed(feedContext, f, stop) })
	}
}

// runFeed runs a feed until its namespace is removed or ctx is done. If the feed ends
// otherwise, the informer stops.
func (n *namespaceSet[T]) runFeed(ctx context.Context, f *namespaceFeed[T], stop func()) {
	err := errFeedEnded
	defer func() { n.feedEnded(f, err, stop) }()
	ended := f.controller.Run(ctx)
	if f.isRemoved() {
		n.deleteObjects(f)
	}
	err = ended
}

// feedEnded records that the goroutine of a feed ends.
func (n *namespaceSet[T]) feedEnded(f *namespaceFeed[T], err error, stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f.cancel()
	delete(n.running, f.namespace)
	if err != nil && n.err == nil {
		n.err = err
		stop()
	}
	n.wake()
}

func (f *namespaceFeed[T]) isRemoved() bool {
	select {
	case <-f.removed:
		return true
	default:
		return false
	}
}

// process applies a batch of a feed. Batches that a removed feed still has are dropped.
func (n *namespaceSet[T]) process(f *namespaceFeed[T], deltas []deltafifo.Delta[T], batch deltafifo.Batch) error {
	n.turn.Lock()
	defer n.turn.Unlock()
	if f.isRemoved() {
		return nil
	}
	defer n.closeIfSynced()
	return n.shared.apply(f.feed, deltas, batch, "")
}

// deleteObjects deletes the objects of a removed namespace. Their final state is
// unknown: they probably still exist.
func (n *namespaceSet[T]) deleteObjects(f *namespaceFeed[T]) {
	n.turn.Lock()
	defer n.turn.Unlock()
	var deltas []deltafifo.Delta[T]
	for obj := range n.shared.store.Snapshot().Find(n.index, f.namespace) {
		if key, err := indexer.MetaNamespaceKeyFunc(obj); err == nil {
			deltas = append(deltas, deltafifo.Delta[T]{Type: deltafifo.Deleted, Key: key, Object: obj, FinalStateUnknown: true})
		}
	}
	if len(deltas) > 0 {
		_ = n.shared.apply(f.feed, deltas, deltafifo.Batch{}, "") // only an object without a key is an error
	}
}

// announceSync completes the initial list if it became complete without a list: the set
// is empty, or a namespace without a list was removed or is forbidden.
func (n *namespaceSet[T]) announceSync() {
	n.turn.Lock()
	defer n.turn.Unlock()
	if s := n.shared; !s.buffers.synced && n.completes(nil) {
		s.buffers.synced = true
		s.processor.distribute([]notification[T]{{kind: synced}}, s.store.Snapshot())
		n.closeIfSynced()
	}
}

// closeIfSynced closes isSynced when the end of the initial list has been announced.
// turn is held.
func (n *namespaceSet[T]) closeIfSynced() {
	if !n.shared.buffers.synced {
		return
	}
	select {
	case <-n.isSynced:
	default:
		close(n.isSynced)
	}
}
