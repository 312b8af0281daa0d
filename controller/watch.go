package controller

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// The priorities of the queue. A live change goes before what was there at the
// beginning, and that before the sweep; they age, so that none starves.
const (
	live    = 0
	initial = -10
	sweep   = -20
)

// watched is one of the places that keys come from.
type watched interface {
	// waitForSync until the first list is there.
	waitForSync(ctx context.Context) error
	// attach tells r of every key, from now on, of all that is there first;
	// synced is closed when that has been told.
	attach(r *run) (synced <-chan struct{}, err error)
	// detach ends that; no key comes once it has returned and what it returned
	// is closed.
	detach() (done <-chan struct{})
	// any is the informer behind it, nil if there is none.
	any() informer.AnyInformer
}

// For has c reconcile the objects of inf: each that comes, changes in a way that
// all the predicates find worth it, or goes.
func For[T rest.Object](c *Controller, inf *informer.SharedInformer[T], predicates ...Predicate[T]) {
	if w := add(c, inf, predicates, func(obj T) []Request {
		return []Request{{Namespace: obj.GetNamespace(), Name: obj.GetName()}}
	}); w != nil {
		c.owner = inf.ResourceInfo()
	}
}

// Owns has c reconcile the objects of For that own an object of inf, when that
// one comes, changes or goes: those that its owner references name as its
// controller. See [SetControllerReference].
func Owns[T Owned](c *Controller, inf *informer.SharedInformer[T], predicates ...Predicate[T]) {
	if c.owner.Kind == "" {
		c.fail(fmt.Errorf("%w: %s", ErrNoOwner, c.name))
		return
	}
	add(c, inf, predicates, ownersOf[T](c.owner))
}

// Owned is an object that says who owns it.
type Owned interface {
	rest.Object
	GetOwnerReferences() []metav1.OwnerReference
}

// ownersOf answers with the controller of an object, if it is of this kind.
func ownersOf[T Owned](owner rest.ResourceInfo) func(T) []Request {
	return func(obj T) []Request {
		for _, ref := range obj.GetOwnerReferences() {
			if ref.Controller == nil || !*ref.Controller || ref.Kind != owner.Kind {
				continue
			}
			if gv := ref.APIVersion; gv != owner.GroupVersion().String() {
				continue
			}
			req := Request{Name: ref.Name}
			if owner.Namespaced {
				req.Namespace = obj.GetNamespace()
			}
			return []Request{req}
		}
		return nil
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
		c.fail(fmt.Errorf("%w: %s", ErrNoInformer, c.name))
		return nil
	}
	w := &watch[T]{inf: inf, keys: keys, predicates: predicates}
	c.add(w)
	return w
}

// watch is an informer as a place that keys come from.
type watch[T rest.Object] struct {
	inf        *informer.SharedInformer[T]
	keys       func(T) []Request
	predicates []Predicate[T]
	place      *informer.Registration
}

func (w *watch[T]) any() informer.AnyInformer { return w.inf }

func (w *watch[T]) waitForSync(ctx context.Context) error { return w.inf.WaitForSync(ctx) }

func (w *watch[T]) attach(r *run) (<-chan struct{}, error) {
	place, err := w.inf.AddEventHandler(informer.ResourceEventHandlerFuncs[T]{
		AddFunc: func(obj T, isInInitialList bool) {
			priority := live
			if isInInitialList {
				priority = initial
			}
			r.queueAll(w.keys(obj), priority)
		},
		UpdateFunc: func(old, new T) {
			for _, p := range w.predicates {
				if !p(old, new) {
					return
				}
			}
			r.queueAll(w.keys(old), live)
			r.queueAll(w.keys(new), live)
		},
		DeleteFunc: func(obj T, _ bool) { r.queueAll(w.keys(obj), live) },
	}, informer.HandlerOptions{Name: "controller " + r.c.name})
	if err != nil {
		return nil, err
	}
	w.place = place
	return place.Synced(), nil
}

func (w *watch[T]) detach() <-chan struct{} {
	w.place.Remove()
	return w.place.Done()
}

// channel is a channel as a place that keys come from.
type channel struct {
	requests <-chan Request
	stop     chan struct{}
	done     chan struct{}
}

func (*channel) any() informer.AnyInformer         { return nil }
func (*channel) waitForSync(context.Context) error { return nil }

func (ch *channel) attach(r *run) (<-chan struct{}, error) {
	ch.stop, ch.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ch.done)
		for {
			select {
			case <-ch.stop:
				return
			case req, ok := <-ch.requests:
				if !ok {
					return
				}
				r.queueAll([]Request{req}, live)
			}
		}
	}()
	synced := make(chan struct{})
	close(synced)
	return synced, nil
}

func (ch *channel) detach() <-chan struct{} {
	close(ch.stop)
	return ch.done
}
