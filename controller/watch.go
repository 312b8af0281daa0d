package controller

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// keySource is a source of keys: an informer with its mapping, or a channel.
type keySource interface {
	// waitForSync waits until the first list is complete.
	waitForSync(ctx context.Context) error
	// attach starts to enqueue keys in r, beginning with the existing objects.
	attach(r *run) (attachedSource, error)
	// needsFor reports whether the source needs a For to find its keys.
	needsFor() bool
	// informer returns the informer of the source, nil if it has none.
	informer() informer.AnyInformer
}

// enqueues reports whether a source enqueues keys. Those of Reads do not.
func enqueues(w keySource) bool {
	_, reads := w.(*readSource)
	return !reads
}

// attachedSource is a keySource during one run.
type attachedSource struct {
	name string
	// synced is closed when the existing objects have been enqueued.
	synced <-chan struct{}
	// remove detaches the source without waiting. done is closed when it enqueues no
	// more keys and no function of the user is running.
	remove func()
	done   <-chan struct{}
}

// For makes c reconcile the objects of inf: each one that is created, updated or
// deleted. An update is reconciled only if all predicates return true. Predicates run on
// the goroutine of a handler, and for tracked reads of inf or with [NotOwnWrites] also on
// that of the informer. They must not block.
//
// For, Owns, Watches and Channel may be called while c runs, also by a reconcile or a
// mapping. Then c waits for the informer to sync, without interrupting its work, and
// reconciles the existing objects. If that fails, or if the arguments are invalid, the
// run ends with the error.
func For[T rest.Object](c *Controller, inf *informer.SharedInformer[T], predicates ...Predicate[T]) *Watch[T] {
	return add(c, inf, predicates, nil, false)
}

// Owns makes c reconcile the object of For that controls an object of inf, when the
// latter is created, updated or deleted. The controller is taken from the owner
// references; see [SetControllerReference]. For and Owns may be called in any order
// before Run, and during Run after a For.
func Owns[T Owned](c *Controller, inf *informer.SharedInformer[T], predicates ...Predicate[T]) *Watch[T] {
	return add(c, inf, predicates, func(obj T) []Request { return ownerRequests(obj, c.ownerKinds()) }, true)
}

// Watches makes c reconcile the keys that mapping returns for an object of inf, when
// the object is created, updated or deleted. For an update, mapping is called with the
// old and the new state, and a key that it returns for both is queued once. mapping may
// read other informers and must not block.
func Watches[T rest.Object](c *Controller, inf *informer.SharedInformer[T], mapping func(T) []Request, predicates ...Predicate[T]) *Watch[T] {
	if mapping == nil {
		c.fail(fmt.Errorf("%w: %s: Watches was called without a mapping", ErrOptions, c.name))
		return &Watch[T]{c: c, inf: inf}
	}
	return add(c, inf, predicates, mapping, false)
}

func add[T rest.Object](c *Controller, inf *informer.SharedInformer[T], predicates []Predicate[T], keys func(T) []Request, owned bool) *Watch[T] {
	w := &Watch[T]{c: c, inf: inf, mapping: keys, predicates: predicates, viaOwner: owned}
	switch {
	case inf == nil:
		c.fail(fmt.Errorf("%w: %s: %s was called with nil: pass an informer of %v", ErrNoInformer, c.name, w.registration(), reflect.TypeFor[T]()))
	case slices.ContainsFunc(predicates, func(p Predicate[T]) bool { return p == nil }):
		c.fail(fmt.Errorf("%w: %s: %s of %s has a nil predicate", ErrOptions, c.name, w.registration(), inf.State().Name))
	default:
		c.add(w)
	}
	return w
}

// registration returns the name of the function that has registered the watch.
func (w *Watch[T]) registration() string {
	switch {
	case w.isFor():
		return "For"
	case w.viaOwner:
		return "Owns"
	}
	return "Watches"
}

// Watch is a watched informer. For, Owns and Watches return it.
type Watch[T rest.Object] struct {
	c          *Controller
	inf        *informer.SharedInformer[T]
	predicates []Predicate[T]
	// filters are replaced when a filter is added, under c.mu. nil means none.
	filters atomic.Pointer[filters[T]]
	// mapping returns the keys of an object. It is nil for the object's own key.
	mapping func(T) []Request
	// viaOwner is set if mapping looks up the controller of an object.
	viaOwner bool
	// ignoreOwn is set by NotOwnWrites. A run calls it before it adds the handler, which
	// then enqueues only the initial objects. handler is that of the last run. Both are
	// guarded by c.mu.
	ignoreOwn func(r *run) (remove func(), err error)
	handler   *watchHandler
}

// filters select the objects that are created and deleted. They do not change.
type filters[T any] struct{ creates, deletes []func(T) bool }

// FilterCreates makes c reconcile a created object only if p returns true. It also
// applies to the objects that exist when the controller starts, and not to the resync.
// All filters must return true. During Run it applies to the objects that are received
// after the call. It returns w.
func (w *Watch[T]) FilterCreates(p func(obj T) bool) *Watch[T] {
	w.filter("FilterCreates", p, func(f *filters[T]) { f.creates = append(slices.Clip(f.creates), p) })
	return w
}

// FilterDeletes makes c reconcile a deleted object only if p returns true for its last
// state. All filters must return true. During Run it applies to the deletions that are
// received after the call. It returns w.
func (w *Watch[T]) FilterDeletes(p func(obj T) bool) *Watch[T] {
	w.filter("FilterDeletes", p, func(f *filters[T]) { f.deletes = append(slices.Clip(f.deletes), p) })
	return w
}

func (w *Watch[T]) filter(method string, p func(T) bool, add func(*filters[T])) {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	if p == nil {
		w.c.failLocked(fmt.Errorf("%w: %s: %s was called with nil", ErrOptions, w.c.name, method))
		return
	}
	next := new(filters[T])
	if now := w.filters.Load(); now != nil {
		*next = *now
	}
	add(next)
	w.filters.Store(next)
}

// acceptsCreate reports whether the filters accept a created object.
func (w *Watch[T]) acceptsCreate(obj T) bool {
	f := w.filters.Load()
	return f == nil || allMatch(f.creates, obj)
}

// acceptsDelete reports whether the filters accept a deleted object.
func (w *Watch[T]) acceptsDelete(obj T) bool {
	f := w.filters.Load()
	return f == nil || allMatch(f.deletes, obj)
}

func allMatch[T any](all []func(T) bool, obj T) bool {
	for _, p := range all {
		if !p(obj) {
			return false
		}
	}
	return true
}

// Remove ends the watch: c no longer waits for the informer, and no event of it enqueues
// a key. It does not wait, so that a reconcile, a predicate or a mapping may call it. A
// function that is running continues, and may enqueue its keys. Keys in the queue stay
// there. Remove is idempotent. It does not stop the informer.
//
// A controller that was run, or added to a Program, may be without any watch. It does
// nothing until another is added.
func (w *Watch[T]) Remove() { w.c.removeSource(w) }

func (w *Watch[T]) informer() informer.AnyInformer { return w.inf }

func (w *Watch[T]) waitForSync(ctx context.Context) error { return w.inf.WaitForSync(ctx) }

func (w *Watch[T]) attach(r *run) (attachedSource, error) {
	gate := r.gate.informerOf(w.inf)
	h := &watchHandler{run: r}
	w.c.mu.Lock()
	w.handler = h
	ignoreOwn := w.ignoreOwn
	w.c.mu.Unlock()
	if ignoreOwn != nil {
		removeOwn, err := ignoreOwn(r)
		if err != nil {
			return attachedSource{}, err
		}
		h.onlyInitial(removeOwn)
	}
	// attached is the registration, which a callback may precede. Once it is synced, an
	// initial list is that of a namespace that was added: a change.
	var attached atomic.Pointer[informer.Registration]
	registration, err := w.inf.AddEventHandler(informer.ResourceEventHandlerFuncs[T]{
		AddFunc: func(obj T, isInInitialList bool) {
			gate.observe(obj)
			reason := ReasonChanged
			if at := attached.Load(); isInInitialList && (at == nil || !at.HasSynced()) {
				reason = ReasonInitial
			}
			w.enqueue(h, change[T]{new: obj}, reason)
		},
		UpdateFunc: func(old, new T) {
			gate.observe(new)
			w.enqueue(h, change[T]{old: old, new: new, updated: true}, ReasonChanged)
		},
		DeleteFunc: func(obj T, _ bool) {
			gate.observe(obj)
			w.enqueue(h, change[T]{new: obj, deleted: true}, ReasonChanged)
		},
	}, informer.HandlerOptions{Name: "controller " + r.c.name, MaxPending: r.c.maxPending})
	if err != nil {
		h.remove()
		return attachedSource{}, err
	}
	attached.Store(registration)
	remove := func() {
		h.remove()
		registration.Remove()
	}
	return attachedSource{name: w.inf.State().Name, synced: registration.Synced(), remove: remove, done: registration.Done()}, nil
}

// ownerKind returns the resource of a For, zero for other watches.
func (w *Watch[T]) ownerKind() rest.ResourceInfo {
	if !w.isFor() {
		return rest.ResourceInfo{}
	}
	return w.inf.ResourceInfo()
}

func (w *Watch[T]) needsFor() bool         { return w.viaOwner }
func (w *Watch[T]) isFor() bool            { return w.mapping == nil }
func (w *Watch[T]) size() int              { return w.inf.Reader().Len() }
func (w *Watch[T]) keys() iter.Seq[string] { return w.inf.Keys() }

func (w *Watch[T]) request(key string) (Request, bool) {
	obj, ok := w.inf.Get(key)
	if !ok {
		return Request{}, false
	}
	return Request{Namespace: obj.GetNamespace(), Name: obj.GetName()}, true
}
