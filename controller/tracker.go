package controller

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/controller/internal/reads"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/rest"
)

// readTracker has the tracked reads of a run. It is an interface so that programs
// without tracked reads do not link its implementation.
type readTracker interface {
	// begin and end are called at the start and the end of each reconcile, on its
	// worker. end enqueues the request if it must be reconciled again.
	begin(job *reconcileContext)
	end(job *reconcileContext, success bool)
	// sending is called before a request with the ctx of a reconcile is sent.
	sending(job *reconcileContext, info rest.RequestInfo)
	// wrote is called for each write with the ctx of a reconcile.
	wrote(job *reconcileContext, written rest.WriteInfo)
	// covers reports whether tracked reads of the request enqueue it for a change of an
	// object, so that a watch need not. old is nil for a creation.
	covers(inf informer.AnyInformer, old, new any, deleted bool, request Request) bool
	// note records that a change has enqueued a request.
	note(inf informer.AnyInformer, old, new any, deleted bool, request Request)
	// explain returns what is known of a request.
	explain(request Request, limit int) Explanation
	// tracked returns the number of requests that have dependencies, and some of them.
	tracked() (count int, listed []Request)
	// synced is called when the keys of the initial objects have been enqueued. It
	// enqueues the requests that had dependencies when the last run ended and have not
	// been reconciled since: a change may have been missed.
	synced()
	// removed is called when the controller no longer has an informer.
	removed(inf informer.AnyInformer)
	// running returns the informers for which a function of the user is running.
	running() []string
	// stop is called when all workers have ended. It returns when no function of the user
	// is running.
	stop()
}

// tracker is the implementation of readTracker.
type tracker struct {
	run *run
	// sources finds the source of an informer, by each handle with which it was read. It
	// is copied when it changes, under mu, so that reads need no lock.
	sources atomic.Pointer[map[any]*trackedSource]

	// adding is held while a source is added.
	adding sync.Mutex

	mu    sync.Mutex
	graph *reads.Graph[Request]
	// all has each source once.
	all []*trackedSource
	// owed are the requests that had dependencies when the last run ended, and of which no
	// reconcile has begun since.
	owed    map[Request]struct{}
	stopped bool
	// observing counts the calls of observers in progress. It does not increase once
	// stopped is set, which is what stop waits for: the next run takes the graph.
	observing sync.WaitGroup
}

var _ readTracker = (*tracker)(nil)

// trackedSource is an informer that reconciles have read, or whose own writes are
// ignored.
type trackedSource struct {
	tracker  *tracker
	informer observedInformer
	remove   func()
	// panicked is set when the panic of a predicate or an index function was logged.
	panicked atomic.Bool
	// running is the number of calls of observe that may call functions of the user.
	running atomic.Int32
	// mayBeOwn is set while there are watches with NotOwnWrites.
	mayBeOwn atomic.Bool

	// source, indexes and watches are guarded by tracker.mu. watches are those with
	// NotOwnWrites.
	source  *reads.Source[Request]
	indexes map[any]*reads.Index
	watches []*ownWatch
	// gone is set when the controller no longer has the informer.
	gone bool
}

// observedInformer is the part of SharedInformer that tracked reads use in addition.
type observedInformer interface {
	sharedInformer
	VersionIn(namespace string) (version string, epoch int)
	WaitForSync(ctx context.Context) error
	Observe(o observe.Observer) (remove func())
}

// ownWatch is a watch with NotOwnWrites during a run.
type ownWatch struct {
	// requests returns the requests of a change. It calls predicates and mappings.
	requests func(old, new any, deleted bool) []Request
}

// synced implements readTracker.
func (t *tracker) synced() {
	t.mu.Lock()
	var enqueue []Request
	for req := range t.owed {
		enqueue = append(enqueue, req)
	}
	t.mu.Unlock()
	for _, req := range enqueue {
		t.run.queueKey(req, ReasonInitial, "")
	}
}

// attemptOf returns the tracked reads of a reconcile, nil if there are none.
func attemptOf(job *reconcileContext) *reads.Attempt[Request] {
	attempt, _ := job.reads.(*reads.Attempt[Request])
	return attempt
}

// begin implements readTracker.
func (t *tracker) begin(job *reconcileContext) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.beginLocked(job)
}

// beginLocked reports whether the reconcile has begun and not ended. Its end takes mu
// after ctx has ended, so a reconcile that has not ended here has an end.
func (t *tracker) beginLocked(job *reconcileContext) bool {
	if job.reads != nil {
		return !attemptOf(job).Ended()
	}
	if job.hasEnded() {
		return false
	}
	job.reads = t.graph.Begin(job.request)
	delete(t.owed, job.request)
	return true
}

// end implements readTracker.
func (t *tracker) end(job *reconcileContext, success bool) {
	forget := success && t.run.isForgotten(job.request)
	t.mu.Lock()
	enqueue, cause := job.reads != nil && t.graph.End(attemptOf(job), success, forget), ""
	if enqueue && t.run.tracesQueued() {
		cause = attemptOf(job).Cause().String()
	}
	t.mu.Unlock()
	if enqueue {
		t.run.queueKey(job.request, ReasonChanged, cause)
	}
}

// running implements readTracker.
func (t *tracker) running() (names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.all {
		if s.running.Load() > 0 {
			names = append(names, s.source.Name)
		}
	}
	return names
}

// stop implements readTracker.
func (t *tracker) stop() {
	t.adding.Lock() // no source is added from now on
	defer t.adding.Unlock()
	t.mu.Lock()
	t.stopped = true
	all := t.all
	t.mu.Unlock()
	for _, s := range all {
		s.remove()
	}
	t.observing.Wait()
	c := t.run.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastReads = t
}

// removed implements readTracker. A mapping may remove an informer, so this does not wait
// for the observer.
func (t *tracker) removed(inf informer.AnyInformer) {
	s := t.sourceOf(inf)
	if s == nil {
		return
	}
	s.remove()
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.gone || t.stopped {
		return
	}
	s.gone = true
	t.all = slices.DeleteFunc(slices.Clone(t.all), func(other *trackedSource) bool { return other == s })
	sources := maps.Clone(*t.sources.Load())
	maps.DeleteFunc(sources, func(_ any, other *trackedSource) bool { return other == s })
	t.sources.Store(&sources)
	t.graph.Remove(s.source, s)
}

// explain implements readTracker.
func (t *tracker) explain(req Request, limit int) Explanation {
	t.mu.Lock()
	defer t.mu.Unlock()
	cause, dependencies, count := t.graph.Explain(req, limit)
	return Explanation{Request: req, Queued: cause.Time, Cause: cause.String(), Dependencies: dependencies, Count: count}
}

// tracked implements readTracker.
func (t *tracker) tracked() (count int, listed []Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	count, _ = t.graph.Len()
	return count, t.graph.First(maxListed, Request.compare)
}

// note implements readTracker.
func (t *tracker) note(inf informer.AnyInformer, old, new any, deleted bool, req Request) {
	s := t.sourceOf(inf)
	if s == nil {
		return
	}
	obj := new.(rest.Object)
	cause := reads.Cause{Time: time.Now(), Source: s.source.Name, Key: keyOf(obj.GetNamespace(), obj.GetName()), Event: reads.EventOf(old != nil, deleted)}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.graph.Note(req, cause)
}
