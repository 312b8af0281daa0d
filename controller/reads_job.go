package controller

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/thinformer/thinformer/controller/internal/reads"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/rest"
)

// jobOf returns the reconcile that ctx belongs to, which may have ended, nil if there is
// none.
func jobOf(ctx context.Context) *reconcileContext {
	job, ok := ctx.(*reconcileContext)
	if !ok && ctx != nil {
		job, _ = ctx.Value(loggerKey{}).(*reconcileContext)
	}
	return job
}

func (r *reconcileContext) hasEnded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// trackedRead is a read that is registered and not yet made.
type trackedRead struct {
	job    *reconcileContext
	source *trackedSource
	edge   reads.Edge[Request]
}

// openRead waits until the informer has observed the writes of the reconcile of ctx, and
// registers a read.
func openRead[T any](ctx context.Context, from Readable[T], target reads.Target) (trackedRead, error) {
	job := jobOf(ctx)
	if job == nil {
		return trackedRead{}, ErrNotReconciling
	}
	source, err := sourceOf(job, from)
	if err != nil {
		return trackedRead{}, err
	}
	return job.open(ctx, source, target)
}

func (r *reconcileContext) open(ctx context.Context, s *trackedSource, target reads.Target) (trackedRead, error) {
	if err := r.waitForWrites(ctx, s); err != nil {
		return trackedRead{}, err
	}
	return r.register(s, target)
}

// waitForWrites returns when the informer has observed what the reconcile has written. It
// returns an error if the reconcile has ended.
func (r *reconcileContext) waitForWrites(ctx context.Context, s *trackedSource) error {
	r.mu.Lock()
	ended, written := r.ended, len(r.waits) > 0
	r.mu.Unlock()
	switch {
	case ended:
		return ErrNotReconciling
	case !written:
		return nil
	}
	p := r.run.gate.informerOf(s.informer)
	if p == nil {
		return nil // it was removed, and has no waits
	}
	return r.run.gate.waitForRead(ctx, r, p)
}

// register registers a read.
func (r *reconcileContext) register(s *trackedSource, target reads.Target) (trackedRead, error) {
	t := s.tracker
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.beginLocked(r):
		return trackedRead{}, ErrNotReconciling
	case s.gone:
		return trackedRead{}, notRead(r.run, s.source.Name)
	}
	edge, ok := attemptOf(r).Open(s.source, target)
	if !ok {
		return trackedRead{}, ErrNotReconciling
	}
	return trackedRead{job: r, source: s, edge: edge}, nil
}

// close records the revision that was read.
func (r *trackedRead) close(revision uint64) error {
	t := r.source.tracker
	t.mu.Lock()
	ok := attemptOf(r.job).Close(r.edge, revision)
	t.mu.Unlock()
	if !ok {
		return ErrNotReconciling
	}
	return nil
}

// sawObject records the version that was read of an object whose own writes are ignored.
func (r *trackedRead) sawObject(key string, obj any) {
	typed, ok := obj.(rest.Object)
	if !ok {
		return
	}
	uid, version := string(typed.GetUID()), typed.GetResourceVersion()
	t := r.source.tracker
	t.mu.Lock()
	defer t.mu.Unlock()
	if !attemptOf(r.job).Ended() {
		attemptOf(r.job).Own.Read(r.source, key, uid, version)
	}
}

// sourceOf returns the source of an informer that is registered with the controller of a
// reconcile.
func sourceOf[T any](job *reconcileContext, from Readable[T]) (*trackedSource, error) {
	t := job.run.track()
	if s := (*t.sources.Load())[from]; s != nil {
		return s, nil
	}
	if nilcheck.IsNilPointer(from) {
		return nil, fmt.Errorf("%w: controller %s: a tracked read of %v was called with nil: pass what was passed to For, Owns, Watches or Reads", ErrNoInformer, job.run.c.name, reflect.TypeFor[T]())
	}
	return t.addSource(from, from.Observed(), from.State().Name)
}

// sourceOfIndex returns the source and the informer of an index.
func sourceOfIndex[T rest.Object](job *reconcileContext, index *indexer.Index[T]) (*trackedSource, *informer.SharedInformer[T], error) {
	if index == nil {
		return nil, nil, fmt.Errorf("%w: controller %s: Find was called with a nil index of %v: pass the index that AddIndex has returned, and check its error", ErrOptions, job.run.c.name, reflect.TypeFor[T]())
	}
	t := job.run.track()
	if s := (*t.sources.Load())[index]; s != nil {
		return s, s.informer.(*informer.SharedInformer[T]), nil
	}
	for _, inf := range job.run.c.Informers() {
		if typed, ok := inf.(*informer.SharedInformer[T]); ok && index.BelongsTo(typed.Reader()) {
			s, err := t.addSource(index, typed, typed.State().Name)
			return s, typed, err
		}
	}
	return nil, nil, fmt.Errorf("%w: controller %s: the index %q is not of an informer that was passed to For, Owns, Watches or Reads: pass its informer to controller.Reads", ErrNotRead, job.run.c.name, index.Name())
}

// addSource returns the source of an informer, and records that it is found by a handle
// of the informer, or an index.
func (t *tracker) addSource(handle any, inf informer.AnyInformer, name string) (*trackedSource, error) {
	observed, ok := inf.(observedInformer)
	if !ok || !t.run.c.hasSource(inf) {
		return nil, notRead(t.run, name)
	}
	t.adding.Lock()
	defer t.adding.Unlock()
	s := t.sourceOf(inf)
	if s == nil && t.hasStopped() {
		return nil, ErrNotReconciling
	}
	if s == nil {
		s = &trackedSource{tracker: t, informer: observed, source: reads.NewSource[Request](name), indexes: map[any]*reads.Index{}}
		s.remove = observed.Observe(s.observe)
	}
	t.mu.Lock()
	if !slices.Contains(t.all, s) && !s.gone {
		t.all = append(t.all, s)
	}
	if sources := maps.Clone(*t.sources.Load()); !s.gone && len(sources) < maxHandles {
		sources[handle] = s
		t.sources.Store(&sources)
	}
	t.mu.Unlock()
	if !t.run.c.hasSource(inf) { // it was removed meanwhile
		t.removed(inf)
		return nil, notRead(t.run, name)
	}
	return s, nil
}

func (t *tracker) hasStopped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stopped
}

// maxHandles bounds the known handles of informers. A reconcile that requests an informer
// from its factory each time would otherwise keep all handles.
const maxHandles = 1024

func notRead(r *run, name string) error {
	return fmt.Errorf("%w: controller %s has not passed the informer %s to For, Owns, Watches or Reads: pass it to controller.Reads", ErrNotRead, r.c.name, name)
}

// sourceOf returns the source of an informer, nil if there is none.
func (t *tracker) sourceOf(inf informer.AnyInformer) *trackedSource {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.all {
		if informer.SameInformer(s.informer, inf) {
			return s
		}
	}
	return nil
}

// indexOf returns the description of an index, the same one for each call.
func (s *trackedSource) indexOf(id any, name string, values func(any) []string) *reads.Index {
	t := s.tracker
	t.mu.Lock()
	defer t.mu.Unlock()
	index := s.indexes[id]
	if index == nil {
		index = &reads.Index{ID: id, Name: name, Values: values}
		s.indexes[id] = index
	}
	return index
}
