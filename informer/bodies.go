package informer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/rest"
)

// Bodies reads whole objects, called bodies, of a resource of which a program reads few.
// It watches the metadata of all objects, and requests the bodies that are read. A body
// is kept while its version is that of the metadata and it was read recently. All methods
// are safe for concurrent use. Unlike the reads of a SharedInformer, Get waits for the
// server.
//
// As an [AnyInformer], Bodies is its informer of metadata: State, Keys and Object show no
// body.
type Bodies[T rest.Object] struct {
	// err is the error in the arguments of ForBodies.
	err      error
	factory  *Factory
	view     *rest.View[T]
	options  BodyOptions[T]
	metadata *SharedInformer[*bodyMetadata]
	// unobserve removes the observer of metadata.
	unobserve func()
	released  atomic.Bool

	kept     keptBodies[T]
	requests bodyRequests[T]
}

var _ AnyInformer = (*Bodies[*rest.SlimMeta])(nil)

// ForBodies returns the bodies of the objects of view. The informer of their metadata is
// shared by all Bodies of the factory with the same resource, namespace and list options;
// it runs after the next Start. Each Bodies keeps its own bodies. The caller must call
// Release when it no longer uses the Bodies.
//
// The options of the factory apply to the informer of the metadata. Its Transform applies
// to the bodies instead.
//
// If an argument is invalid, Start and the first read return an error.
func ForBodies[T rest.Object](f *Factory, view *rest.View[T], o BodyOptions[T]) *Bodies[T] {
	b := &Bodies[T]{factory: f, view: view, options: o.withDefaults(f)}
	b.kept.limits = b.options.limits()
	if n := b.options.MaxRequests; n > 0 {
		b.requests.slots = make(chan struct{}, n)
	}
	b.metadata = metadataFor(f, view, o.TweakListOptions)
	b.kept.total = &b.metadata.shared.bodies
	if b.err = b.metadata.shared.err; b.err == nil {
		b.err = checkType[T]()
	}
	b.unobserve = b.metadata.Observe(b.metadataChanged)
	return b
}

// Get returns the object with the key "namespace/name" or "name"; ok is false if there is
// none. The object is shared: do not modify it.
//
// Get waits until the initial list of the metadata is in the store. A kept body costs no
// request. Otherwise one request is sent for all callers that wait for this body. It is
// cancelled when all of them have given up.
//
// The body is never older than the metadata, and may be newer. If the server no longer
// has the object, ok is false although the metadata may still have it.
//
// Possible errors: the error of the request, usually an *errors.StatusError, such as
// Forbidden if the verb get is not allowed; an error with both versions if the server
// keeps returning an object that is older than the metadata; the error of ctx if it ends
// first; indexer.ErrBadKey for a key that no object of the resource can have, such as one
// without a namespace; ErrReleased; ErrStopped, also if the informer stops meanwhile;
// those of [SharedInformer.WaitForSync].
func (b *Bodies[T]) Get(ctx context.Context, key string) (obj T, ok bool, err error) {
	obj, ok, _, err = b.Read(ctx, key)
	return obj, ok, err
}

// Read is Get for package controller. It also returns a revision of the metadata's store:
// a change after the returned state has a higher revision.
func (b *Bodies[T]) Read(ctx context.Context, key string) (obj T, ok bool, revision uint64, err error) {
	if err := b.ready(ctx); err != nil {
		return obj, false, 0, err
	}
	snapshot, epoch, known := b.snapshot()
	meta, exists := snapshot.Get(key)
	if !exists {
		return obj, false, snapshot.Revision(), b.metadata.shared.checkKey(key)
	}
	version := bodyVersion{meta.ResourceVersion, epoch}
	if !known {
		version.text = "" // requests the newest state, which is that of the new epoch
	}
	if obj, ok := b.kept.get(key, version); ok {
		return obj, true, snapshot.Revision(), nil
	}
	read, err := b.requests.read(ctx, key, version, func(q *bodyRequest[T]) error {
		return b.start(key, q, meta, version)
	})
	if err != nil {
		return obj, false, 0, fmt.Errorf("body of %s %s: %w", b.view.ResourceInfo().GroupResource(), key, err)
	}
	return read.obj, read.found, b.revisionOf(key, read, epoch, snapshot.Revision()), nil
}

// ready waits until the metadata has been listed.
func (b *Bodies[T]) ready(ctx context.Context) error {
	switch {
	case b.err != nil:
		return b.err
	case ctx == nil:
		return ErrNoContext
	case b.released.Load():
		return ErrReleased
	}
	select {
	case <-b.metadata.shared.ended: // there is nothing to compare the versions of bodies with
		return fmt.Errorf("read a body: the informer %s: %w", b.metadata.shared.name, ErrStopped)
	default:
	}
	if b.metadata.HasSynced() {
		return nil
	}
	err := b.metadata.WaitForSync(ctx)
	if errors.Is(err, ErrNotRunning) {
		return fmt.Errorf("%w: start the factory that was passed to ForBodies", err)
	}
	return err
}

// snapshot returns the metadata, and the epoch to which its versions belong. While the
// versions go back, known is false: the snapshot may belong to the epoch before.
func (b *Bodies[T]) snapshot() (snapshot indexer.Snapshot[*bodyMetadata], epoch int, known bool) {
	waiters := &b.metadata.shared.feeds.all()[0].waiters
	ended := waiters.epoch.Load()
	snapshot = b.metadata.Reader().Snapshot()
	begun := waiters.begun.Load()
	return snapshot, int(begun), begun == ended
}

// revisionOf returns the revision of the present snapshot if it shows what was read.
// Otherwise it returns the revision before the request, since a change after that one may
// not be included in what was read.
func (b *Bodies[T]) revisionOf(key string, read bodyRead[T], epoch int, before uint64) uint64 {
	now, present, known := b.snapshot()
	if !known || present != epoch {
		return before
	}
	if meta, exists := now.Get(key); exists == read.found && (!exists || meta.ResourceVersion == read.version) {
		return now.Revision()
	}
	return before
}

// Observed returns the informer of the metadata: its changes are the changes of the
// bodies. It is for package controller.
func (b *Bodies[T]) Observed() AnyInformer { return b.metadata }

// State returns the state of the informer of the metadata, with the number and the bytes
// of the bodies that b keeps.
func (b *Bodies[T]) State() State {
	state := b.metadata.State()
	state.Bodies, state.BodyBytes = b.kept.count()
	return state
}

// Keys returns an iterator over the keys of all objects, in no particular order.
func (b *Bodies[T]) Keys() iter.Seq[string] { return b.metadata.Keys() }

// Object returns the metadata of an object, not its body. See [AnyInformer].
func (b *Bodies[T]) Object(key string) (any, bool) { return b.metadata.Object(key) }

// Release ends the use of the Bodies: it drops the bodies, and running and later reads
// return ErrReleased. After the last user's Release, the informer of the metadata stops.
// Release does not wait for that. It is idempotent.
func (b *Bodies[T]) Release() {
	if b.released.Swap(true) {
		return
	}
	b.unobserve()
	b.requests.cancelAll(ErrReleased)
	b.kept.close()
	b.metadata.Release()
}
