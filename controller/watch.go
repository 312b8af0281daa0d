package controller

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// watched is one of the places that keys come from.
type watched interface {
	// waitForSync until the first list is there.
	waitForSync(ctx context.Context) error
	// attach tells r of every key, from now on, of all that is there first.
	attach(r *run) (source, error)
	// needsOwner: it says nothing without a For.
	needsOwner() bool
	// any is the informer behind it, nil if there is none.
	any() informer.AnyInformer
}

// source is a place that keys come from in one run.
type source struct {
	name string
	// synced is closed when what is there at the beginning has been told.
	synced <-chan struct{}
	// remove ends it, without waiting; done is closed when no key comes any more,
	// and nothing of the user's is being called.
	remove func()
	done   <-chan struct{}
}

// For has c reconcile the objects of inf: each that comes, changes in a way that
// all the predicates find worth it, or goes.
func For[T rest.Object](c *Controller, inf *informer.SharedInformer[T], predicates ...Predicate[T]) {
	if w := add(c, inf, predicates, nil); w != nil {
		c.mayOwn(inf.ResourceInfo())
	}
}

// Owns has c reconcile the objects of For that own an object of inf, when that
// one comes, changes or goes: those that its owner references name as its
// controller. See [SetControllerReference]. It does not matter whether For or Owns
// is called first.
func Owns[T Owned](c *Controller, inf *informer.SharedInformer[T], predicates ...Predicate[T]) {
	if w := add(c, inf, predicates, func(obj T) []Request { return controllerOf(obj, c.owners) }); w != nil {
		w.owned = true
	}
}

// Watches has c reconcile the keys that mapping names for an object of inf, when
// that one comes, changes or goes; of a change those of the old state as well.
// mapping may read other informers, and must not wait.
func Watches[T rest.Object](c *Controller, inf *informer.SharedInformer[T], mapping func(T) []Request, predicates ...Predicate[T]) {
	if mapping == nil {
		c.fail(fmt.Errorf("%w: %s: Watches without a mapping", ErrOptions, c.name))
		return
	}
	add(c, inf, predicates, mapping)
}

// Channel has c reconcile the keys that come out of requests, while it runs:
// what happens outside of the API server. It may be closed.
func Channel(c *Controller, requests <-chan Request) {
	if requests == nil {
		c.fail(fmt.Errorf("%w: %s: Channel of nil", ErrOptions, c.name))
		return
	}
	c.add(&channel{requests: requests})
}

func add[T rest.Object](c *Controller, inf *informer.SharedInformer[T], predicates []Predicate[T], keys func(T) []Request) *watch[T] {
	if inf == nil {
		c.fail(fmt.Errorf("%w: %s: it is a nil %T", ErrNoInformer, c.name, inf))
		return nil
	}
	if slices.ContainsFunc(predicates, func(p Predicate[T]) bool { return p == nil }) {
		c.fail(fmt.Errorf("%w: %s: a predicate for %s is nil", ErrOptions, c.name, inf.State().Name))
		return nil
	}
	w := &watch[T]{inf: inf, requests: keys, predicates: predicates}
	c.add(w)
	return w
}

// watch is an informer as a place that keys come from.
type watch[T rest.Object] struct {
	inf        *informer.SharedInformer[T]
	predicates []Predicate[T]
	// requests are the keys that an object brings; nil if its own is the one.
	requests func(T) []Request
	// owned: they are brought by what they own.
	owned bool
}

func (w *watch[T]) any() informer.AnyInformer { return w.inf }

func (w *watch[T]) waitForSync(ctx context.Context) error { return w.inf.WaitForSync(ctx) }

func (w *watch[T]) attach(r *run) (source, error) {
	gate := r.gate.placeOf(w.inf)
	place, err := w.inf.AddEventHandler(informer.ResourceEventHandlerFuncs[T]{
		AddFunc: func(obj T, isInInitialList bool) {
			gate.saw(obj)
			why := ReasonChanged
			if isInInitialList {
				why = ReasonInitial
			}
			w.queue(r, obj, why)
		},
		UpdateFunc: func(old, new T) {
			gate.saw(new)
			for _, p := range w.predicates {
				if !p(old, new) {
					return
				}
			}
			if !w.isFor() {
				w.queue(r, old, ReasonChanged)
			}
			w.queue(r, new, ReasonChanged)
		},
		DeleteFunc: func(obj T, _ bool) {
			gate.saw(obj)
			w.queue(r, obj, ReasonChanged)
		},
	}, informer.HandlerOptions{Name: "controller " + r.c.name})
	if err != nil {
		return source{}, err
	}
	return source{name: w.inf.State().Name, synced: place.Synced(), remove: place.Remove, done: place.Done()}, nil
}

func (w *watch[T]) queue(r *run, obj T, why Reason) {
	if w.isFor() {
		r.queueKey(Request{Namespace: obj.GetNamespace(), Name: obj.GetName()}, why)
		return
	}
	for _, req := range w.requests(obj) {
		r.queueKey(req, why)
	}
}

func (w *watch[T]) needsOwner() bool       { return w.owned }
func (w *watch[T]) isFor() bool            { return w.requests == nil }
func (w *watch[T]) size() int              { return w.inf.Reader().Len() }
func (w *watch[T]) keys() iter.Seq[string] { return w.inf.Keys() }

func (w *watch[T]) request(key string) (Request, bool) {
	obj, ok := w.inf.Get(key)
	if !ok {
		return Request{}, false
	}
	return Request{Namespace: obj.GetNamespace(), Name: obj.GetName()}, true
}

// channel is a channel as a place that keys come from.
type channel struct{ requests <-chan Request }

func (*channel) any() informer.AnyInformer         { return nil }
func (*channel) needsOwner() bool                  { return false }
func (*channel) waitForSync(context.Context) error { return nil }

func (ch *channel) attach(r *run) (source, error) {
	synced, stop, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(synced)
	go func() {
		defer close(done)
		requests := ch.requests
		for {
			select {
			case <-stop:
				return
			case req, ok := <-requests:
				if !ok {
					requests = nil // it was closed, which is no end of the controller
					continue
				}
				r.queueKey(req, ReasonChanged)
			}
		}
	}()
	return source{name: "a channel", synced: synced, remove: func() { close(stop) }, done: done}, nil
}
