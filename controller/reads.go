package controller

import (
	"context"
	"fmt"
	"iter"
	"slices"

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
// Watches need no Reads. Call it before Run.
//
// An update of an object that a reconcile has read enqueues the request only if all
// predicates return true. If an informer is registered more than once, an update counts
// if the predicates of any registration accept it. Predicates need an informer: for
// Bodies, only the metadata is observed, and Run returns an error.
func Reads[T any](c *Controller, from Readable[T], predicates ...Predicate[T]) {
	switch {
	case nilcheck.IsNilPointer(from):
		c.fail(fmt.Errorf("%w: %s: Reads was called with a nil %T", ErrNoInformer, c.name, from))
	case slices.ContainsFunc(predicates, func(p Predicate[T]) bool { return p == nil }):
		c.fail(fmt.Errorf("%w: %s: a predicate for Reads of %s is nil", ErrOptions, c.name, from.State().Name))
	case len(predicates) > 0 && !informer.SameInformer(from, from.Observed()):
		c.fail(fmt.Errorf("%w: %s: Reads of %s has predicates: only the metadata is observed, so there are no two states to compare", ErrOptions, c.name, from.State().Name))
	default:
		addRead(c, from, predicates)
	}
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
// previous one; after a failed one they are added.
//
// Possible errors: [ErrNotReconciling], [ErrNotRead], a [*StaleError] if the informer is
// late, that of ctx, and for Bodies the error of the request.
func Get[T any](ctx context.Context, from Readable[T], key string) (obj T, ok bool, err error) {
	if err := readable(ctx, from); err != nil {
		return obj, false, err
	}
	obj, ok, _, err = from.Read(ctx, key)
	return obj, ok, err
}

// Find returns the objects with an index value, from one version of the store. Like Get
// it is fresh and tracked: the request is enqueued when an object with the value is
// created, updated or deleted, and when an object gets or loses the value. Predicates
// do not apply to the latter.
//
// Possible errors: those of Get.
func Find[T rest.Object](ctx context.Context, index *indexer.Index[T], value string) (iter.Seq[T], error) {
	job := jobOf(ctx)
	if job == nil {
		return nil, fmt.Errorf("%w: Find", ErrNotReconciling)
	}
	if index == nil {
		return nil, fmt.Errorf("%w: %s: Find was called with a nil index", ErrNotRead, job.run.c.name)
	}
	return index.Find(value), nil
}

// All returns all objects of an informer, in no particular order, from one version of
// the store. Like Get it is fresh and tracked: the request is enqueued when any object is
// created, updated or deleted. It is one dependency, whatever the number of objects.
//
// Possible errors: those of Get.
func All[T rest.Object](ctx context.Context, inf *informer.SharedInformer[T]) (iter.Seq[T], error) {
	if err := readable(ctx, inf); err != nil {
		return nil, err
	}
	return inf.All(), nil
}

// Lister returns a lister whose reads are tracked. It is fresh: the objects that it
// returns include what this reconcile has written before the call of Lister. Get depends
// on one key, List of a namespace on the objects of the namespace, whatever the
// selector, and List of everything on all objects.
//
// When the reconcile has ended, Get returns [ErrNotReconciling], and List reads the
// informer without tracking.
//
// Possible errors: those of Get.
func Lister[T rest.Object](ctx context.Context, inf *informer.SharedInformer[T]) (indexer.Lister[T], error) {
	if err := readable(ctx, inf); err != nil {
		return indexer.Lister[T]{}, err
	}
	return inf.Lister(), nil
}

// NotOwnWrites makes the controller ignore the events of a For or Owns by which a
// successful reconcile sees its own writes:
//
//	controller.NotOwnWrites(controller.For(c, widgets))
//
// An update is ignored for a request if all of this holds: a watch has delivered it; the
// UID and the epoch are those of the write; the new version is one that a write with the
// ctx of the request's last reconcile has returned; and the old version is the one that
// the reconcile has read by [Get], or one that an earlier write of it has returned. The
// creation of an object that the reconcile has created is ignored as well. Deletions,
// events after a failed reconcile and events for other requests are not ignored.
//
// Do not use it for a reconcile that continues when its own write comes back. Without
// Get of the written object, updates are not ignored. It returns w.
func NotOwnWrites[T rest.Object](w *Watch[T]) *Watch[T] { return w }

// readable returns the error of a tracked read.
func readable[T any](ctx context.Context, from Readable[T]) error {
	job := jobOf(ctx)
	if job == nil {
		return ErrNotReconciling
	}
	if nilcheck.IsNilPointer(from) {
		return fmt.Errorf("%w: %s: it is a nil %T", ErrNotRead, job.run.c.name, from)
	}
	for _, inf := range job.run.c.Informers() {
		if informer.SameInformer(inf, from.Observed()) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s: %s: call controller.Reads before Run", ErrNotRead, job.run.c.name, from.State().Name)
}

// jobOf returns the reconcile that ctx belongs to, nil if there is none or it has ended.
func jobOf(ctx context.Context) *reconcileContext {
	job, ok := ctx.(*reconcileContext)
	if !ok && ctx != nil {
		job, _ = ctx.Value(loggerKey{}).(*reconcileContext)
	}
	if job == nil {
		return nil
	}
	job.mu.Lock()
	defer job.mu.Unlock()
	if job.ended {
		return nil
	}
	return job
}
