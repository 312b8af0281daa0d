package controller

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/thinformer/thinformer/controller/internal/reads"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/rest"
)

// Readable is what [Get] reads: an *informer.SharedInformer[T], or an
// *informer.Bodies[T].
type Readable[T any] interface {
	informer.AnyInformer
	// Observed returns the informer whose changes are the changes of what is read: the
	// informer itself, or the informer of the metadata.
	Observed() informer.AnyInformer
	// Read returns the object with the key, from one snapshot of Observed, and the
	// revision of the snapshot.
	Read(ctx context.Context, key string) (obj T, ok bool, revision uint64, err error)
}

var (
	_ Readable[*rest.SlimMeta] = (*informer.SharedInformer[*rest.SlimMeta])(nil)
	_ Readable[*rest.SlimMeta] = (*informer.Bodies[*rest.SlimMeta])(nil)
)

// Reads registers from for tracked reads by [Get], [Find], [All] and [Lister] in the
// reconciles of c. It enqueues no keys by itself. The informers passed to For, Owns and
// Watches need no Reads. It may be called during Run, under the conditions of For.
//
// remove ends the registration, as [Watch.Remove] does: it does not wait, it is
// idempotent, and it does not stop the informer. If the informer is registered in no other
// way, nothing depends on it any more, and reads of it return [ErrNotRead]. Call it before
// Release of an informer that the controller has read.
//
// An update of an object that a reconcile has read enqueues the request only if all
// predicates return true. If an informer is registered more than once, an update counts
// if the predicates of any registration accept it. They run on the goroutine of the
// informer, which also serves its other handlers, and must not block. A panic counts as
// accepted. Predicates need an informer: for Bodies, only the metadata is observed, and Run
// returns an error.
func Reads[T any](c *Controller, from Readable[T], predicates ...Predicate[T]) (remove func()) {
	var none T
	_, named := any(none).(rest.Object)
	remove = func() {}
	switch {
	case nilcheck.IsNilPointer(from):
		c.fail(fmt.Errorf("%w: %s: Reads was called with nil: pass an informer, or Bodies, of %v", ErrNoInformer, c.name, reflect.TypeFor[T]()))
	case !named:
		c.fail(fmt.Errorf("%w: %s: Reads of %s: %v has no name, UID and version: use a type with the methods of rest.Object", ErrOptions, c.name, from.State().Name, reflect.TypeFor[T]()))
	case slices.ContainsFunc(predicates, func(p Predicate[T]) bool { return p == nil }):
		c.fail(fmt.Errorf("%w: %s: Reads of %s has a nil predicate", ErrOptions, c.name, from.State().Name))
	case len(predicates) > 0 && !informer.SameInformer(from, from.Observed()):
		c.fail(fmt.Errorf("%w: %s: Reads of %s has predicates: only the metadata of its objects is observed, so there are no two states to compare: call Reads without predicates", ErrOptions, c.name, from.State().Name))
	default:
		observed, ok := from.Observed().(observedInformer)
		if !ok {
			c.fail(fmt.Errorf("%w: %s: Reads of %s: Observed must return a *informer.SharedInformer, and returns a %T", ErrOptions, c.name, from.State().Name, from.Observed()))
			return remove
		}
		remove = addRead(c, observed, predicates)
	}
	return remove
}

// Get returns the object with the key "namespace/name" or "name", for the Reconcile that
// ctx was passed to. ok is false if there is none.
//
// The read is fresh: it waits until the informer has observed what this reconcile has
// written with ctx, at most for ten seconds. The object is shared: do not modify it.
//
// The read is tracked: when the object is created, updated or deleted after it, the
// request is enqueued, without Watches or a mapping. The predicates of For, Owns,
// Watches and Reads select the updates that count. A change that the read has already
// returned does not count. After a successful reconcile, its reads replace those of the
// previous one; after a failed one they are added. With a For, a successful reconcile of a
// key whose object does not exist keeps none.
//
// Possible errors: [ErrNotReconciling] if ctx does not belong to a reconcile in progress;
// [ErrNotRead], and [ErrNoInformer] for nil; a [*StaleError] if the informer is late; the
// error of ctx if it ends while the read waits; [indexer.ErrBadKey] for a key that no
// object can have: one without a namespace if the resource is namespaced, one with a
// namespace if it is not; [informer.ErrNotListed] if the informer covers the namespace of
// the key and has no list of it, since the list fails or the server forbids it; and for
// Bodies the error of the request.
//
// ErrNotListed says that it is not known whether the object exists: return it, so that the
// key is retried. Get waits for the first attempt of the list, at most for ten seconds. In a
// namespace that the informer does not cover there are no objects.
func Get[T any](ctx context.Context, from Readable[T], key string) (obj T, ok bool, err error) {
	read, err := openRead(ctx, from, reads.Target{Kind: reads.Key, Value: key})
	if err != nil {
		return obj, false, err
	}
	obj, ok, revision, err := from.Read(ctx, key)
	if ok && read.source.mayBeOwn.Load() {
		read.sawObject(key, obj)
	}
	if ended := read.close(revision); ended != nil {
		var none T
		return none, false, ended
	}
	return obj, ok, err
}

// Find returns the objects with an index value, from one version of the store. Like Get
// it is fresh and tracked: the request is enqueued when an object with the value is
// created, updated or deleted, and when an object gets or loses the value. Predicates
// do not apply to the latter. While an informer of several namespaces has no list of one
// of them, Find does not return the objects of that namespace. The request is enqueued when
// they arrive.
//
// Possible errors: those of Get except ErrNotListed, and [ErrOptions] if the index is nil.
func Find[T rest.Object](ctx context.Context, index *indexer.Index[T], value string) (iter.Seq[T], error) {
	job := jobOf(ctx)
	if job == nil {
		return nil, ErrNotReconciling
	}
	source, inf, err := sourceOfIndex(job, index)
	if err != nil {
		return nil, err
	}
	read, err := job.open(ctx, source, reads.Target{Kind: reads.IndexValue, Value: value, Index: source.indexOf(index, index.Name(), func(obj any) []string {
		typed, _ := obj.(T)
		return index.ValuesOf(typed)
	})})
	if err != nil {
		return nil, err
	}
	snapshot := inf.Reader().Snapshot()
	return snapshot.Find(index, value), read.close(snapshot.Revision())
}

// All returns all objects of an informer, in no particular order, from one version of
// the store. Like Get it is fresh and tracked: the request is enqueued when any object is
// created, updated or deleted. It is one dependency, whatever the number of objects. For
// namespaces without a list see Find.
//
// Possible errors: those of Get except ErrNotListed.
func All[T rest.Object](ctx context.Context, inf *informer.SharedInformer[T]) (iter.Seq[T], error) {
	read, err := openRead(ctx, inf, reads.Target{Kind: reads.Everything})
	if err != nil {
		return nil, err
	}
	snapshot := inf.Reader().Snapshot()
	return snapshot.All(), read.close(snapshot.Revision())
}

// Lister returns a lister whose reads are tracked. It is fresh: the objects that it
// returns include what this reconcile has written before the call of Lister. Get depends
// on one key, List of a namespace on the objects of the namespace, whatever the
// selector, and List of everything on all objects. In a namespace without a list, see Find,
// the lister finds no objects.
//
// When the reconcile has ended, Get returns [ErrNotReconciling], and List reads the
// informer without tracking.
//
// Possible errors: those of Get except ErrNotListed.
func Lister[T rest.Object](ctx context.Context, inf *informer.SharedInformer[T]) (indexer.Lister[T], error) {
	job := jobOf(ctx)
	if job == nil {
		return indexer.Lister[T]{}, ErrNotReconciling
	}
	source, err := sourceOf(job, inf)
	if err != nil {
		return indexer.Lister[T]{}, err
	}
	if err := job.waitForWrites(ctx, source); err != nil {
		return indexer.Lister[T]{}, err
	}
	return inf.Lister().Through(func(key, namespace string) (indexer.Snapshot[T], error) {
		target := reads.Target{Kind: reads.Everything}
		switch {
		case key != "":
			target = reads.Target{Kind: reads.Key, Value: key}
		case namespace != "":
			target = reads.Target{Kind: reads.Namespace, Value: namespace}
		}
		read, err := job.register(source, target)
		snapshot := inf.Reader().Snapshot()
		if err == nil {
			err = read.close(snapshot.Revision())
		}
		return snapshot, err
	}), nil
}
