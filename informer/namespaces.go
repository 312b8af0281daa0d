package informer

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/listwatch"
)

// A namespaceSet has the feeds of an informer of several namespaces, which change.
// setNamespaces replaces the set at once and waits for nothing, so a callback may call
// it. The goroutine of run then starts the new feeds, each with a goroutine of its own.
// The goroutine of a feed processes its changes and, when the namespace has been
// removed, deletes the objects. A namespace that is added again meanwhile starts after
// that.
type namespaceSet[T any] struct {
	shared *shared[T]
	// scoped returns the source of a namespace.
	scoped func(namespace string) (listwatch.ListerWatcher[T], error)
	// namespaceOf returns the namespace of an object.
	namespaceOf func(T) string
	// listOptions are the list options of the informer, for the names of the feeds.
	listOptions metav1.ListOptions
	// index is the index of the store by namespace.
	index *indexer.Index[T]

	// turn is held while a batch is applied, since the feeds apply their batches one
	// after another. No function that a callback can call takes it.
	turn sync.Mutex
	// isSynced is closed while turn is held.
	isSynced chan struct{}
	// changed wakes run, to look for feeds to start. It has capacity 1.
	changed chan struct{}

	// covered has the feeds of the set, in the order of their namespaces. The slice is
	// replaced and never modified.
	covered atomic.Pointer[[]*feed[T]]

	// mu guards the fields below. It may be taken while turn is held, and turn is never
	// taken while mu is held.
	mu sync.Mutex
	// members are the feeds of the set, by namespace.
	members map[string]*namespaceFeed[T]
	// running are the feeds that have a goroutine, including removed ones.
	running map[string]*namespaceFeed[T]
	// pending is not nil until the set is known: its function returns the reason.
	pending *func() error
	// allForbidden: the server has refused the lists of all members. A refusal then counts
	// only if it is newer than the first list, since a right that is granted takes effect
	// in one namespace after another.
	allForbidden bool
	// nextEpoch is higher than every epoch of the feeds that were removed from the set.
	nextEpoch int
	// err is the first error that ended a feed, and the informer with it.
	err   error
	ended bool
}

// A namespaceFeed is the feed of one namespace.
type namespaceFeed[T any] struct {
	*feed[T]
	// forbidden: the sync does not wait for the first list, since the server refuses it
	// with 403. Guarded by mu.
	forbidden bool
	// cancel ends the feed. It is nil before the feed starts. Guarded by mu.
	cancel context.CancelFunc
}

func newNamespaceSet[T any](s *shared[T], namespaceOf func(T) string, scoped func(string) (listwatch.ListerWatcher[T], error)) *namespaceSet[T] {
	n := &namespaceSet[T]{
		shared: s, scoped: scoped, namespaceOf: namespaceOf,
		isSynced: make(chan struct{}), changed: make(chan struct{}, 1),
		members: map[string]*namespaceFeed[T]{}, running: map[string]*namespaceFeed[T]{},
	}
	n.covered.Store(&[]*feed[T]{})
	s.processor.mixed = true
	n.index, _ = s.store.AddIndex(indexer.NamespaceIndex, func(obj T) []string { return []string{namespaceOf(obj)} })
	if s.err == nil {
		n.listOptions = effectiveListOptions(s.source, nil)
	}
	return n
}

// setNamespaces replaces the set of namespaces.
func (n *namespaceSet[T]) setNamespaces(namespaces []string) error {
	wanted, err := checkNamespaces(namespaces)
	if err != nil {
		return fmt.Errorf("%s: %w", n.shared.name, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended {
		return ErrStopped
	}
	added := map[string]*namespaceFeed[T]{}
	for _, namespace := range wanted {
		if n.members[namespace] == nil {
			if added[namespace], err = n.newMember(namespace); err != nil {
				return err
			}
		}
	}
	n.remove(wanted)
	maps.Copy(n.members, added)
	n.pending, n.allForbidden = nil, false
	covered := make([]*feed[T], len(wanted))
	for i, namespace := range wanted {
		covered[i] = n.members[namespace].feed
	}
	n.covered.Store(&covered)
	n.wake()
	return nil
}

// checkNamespaces returns the names in order and each of them once.
func checkNamespaces(namespaces []string) ([]string, error) {
	for _, namespace := range namespaces {
		if namespace == metav1.NamespaceAll || namespace == "*" {
			return nil, fmt.Errorf("%w: %q is no name of a namespace: for all namespaces create the informer by For or New", ErrNoNamespace, namespace)
		}
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return nil, fmt.Errorf("%w: %.80q is no name of a namespace: %s", ErrNoNamespace, namespace, strings.Join(problems, "; "))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(namespaces))), nil
}

// remove removes the members that are not wanted. It needs mu.
func (n *namespaceSet[T]) remove(wanted []string) {
	for namespace, f := range n.members {
		if _, keep := slices.BinarySearch(wanted, namespace); keep {
			continue
		}
		delete(n.members, namespace)
		n.nextEpoch = max(n.nextEpoch, f.epoch()+2) // a batch that is being applied may begin another one
		close(f.removed)
		if f.cancel != nil {
			f.cancel()
		}
	}
}

// newMember returns the feed of a namespace. It needs mu, for nextEpoch.
func (n *namespaceSet[T]) newMember(namespace string) (*namespaceFeed[T], error) {
	source, err := n.scoped(namespace)
	if err != nil {
		return nil, err
	}
	s := n.shared
	name := s.options.Name
	if name == "" {
		name = nameOf[T](s.info.GroupVersionResource, namespace, n.listOptions)
	} else {
		name += " -n " + namespace
	}
	f := &namespaceFeed[T]{feed: newFeed(s, name, namespaceObjects[T]{s.store.Reader, n.index, namespace})}
	f.namespace, f.removed, f.ownVersion = namespace, make(chan struct{}), new(atomic.Pointer[string])
	f.attempted, f.stored, f.settled = newSignal(), newSignal(), newSignal()
	f.firstEpoch = n.nextEpoch
	f.waiters.beginAt(n.nextEpoch)
	options := s.reflectorOptions(name, n.filter(namespace))
	options.Trace = n.observeRefusals(f, options.Trace)
	f.connect(source, options, func(deltas []deltafifo.Delta[T], batch deltafifo.Batch) error {
		return n.process(f, deltas, batch)
	})
	return f, nil
}

// filter returns a filter that also rejects objects of other namespaces, which only a
// source with an error returns: a feed must not change them.
func (n *namespaceSet[T]) filter(namespace string) func(T) bool {
	own := n.shared.options.Filter
	return func(obj T) bool { return n.namespaceOf(obj) == namespace && (own == nil || own(obj)) }
}

// namespaceObjects are the objects of the store in one namespace.
type namespaceObjects[T any] struct {
	store     indexer.Reader[T]
	index     *indexer.Index[T]
	namespace string
}

func (o namespaceObjects[T]) Get(key string) (obj T, ok bool) {
	if rest, found := strings.CutPrefix(key, o.namespace); !found || !strings.HasPrefix(rest, "/") {
		return obj, false
	}
	return o.store.Get(key)
}

// Keys determines the keys from the objects: FindKeys would examine every key of the
// store, for each list of each namespace.
func (o namespaceObjects[T]) Keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for obj := range o.store.Snapshot().Find(o.index, o.namespace) {
			if key, err := indexer.MetaNamespaceKeyFunc(obj); err == nil && !yield(key) {
				return
			}
		}
	}
}

func (n *namespaceSet[T]) all() []*feed[T] { return *n.covered.Load() }

func (n *namespaceSet[T]) of(namespace string) *feed[T] {
	all := n.all()
	i, ok := slices.BinarySearchFunc(all, namespace, func(f *feed[T], namespace string) int { return strings.Compare(f.namespace, namespace) })
	if !ok {
		return nil
	}
	return all[i]
}

func (n *namespaceSet[T]) check() error { return listwatch.Check(n.shared.source) }

func (n *namespaceSet[T]) synced() <-chan struct{} { return n.isSynced }

func (n *namespaceSet[T]) pendingReason() error {
	n.mu.Lock()
	pending := n.pending
	n.mu.Unlock()
	if pending == nil {
		return nil
	}
	return (*pending)()
}

func (n *namespaceSet[T]) sourceIn(namespace string) (listwatch.ListerWatcher[T], error) {
	return n.scoped(namespace)
}

// maxNamespaceStates bounds the state of an informer.
const maxNamespaceStates = 100

func (n *namespaceSet[T]) namespaceStates() (states []NamespaceState, count int) {
	for _, f := range n.all() {
		states = append(states, f.state()) // once for each feed, as it may change meanwhile
	}
	count = len(states)
	slices.SortStableFunc(states, func(a, b NamespaceState) int { return b.urgency() - a.urgency() })
	if count > maxNamespaceStates {
		states = slices.Clone(states[:maxNamespaceStates])
	}
	return states, count
}
