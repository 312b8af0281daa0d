package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/workqueue"
)

// run is one Run of a Controller.
type run struct {
	c       *Controller
	queue   *workqueue.PriorityQueue[Request]
	retries retries
	gate    *gate
	logger  *slog.Logger
	// tracker is nil while nothing is tracked. creating is held while it is created.
	// readsStopped is set when all workers have ended.
	tracker      atomic.Pointer[readTracker]
	creating     sync.Mutex
	readsStopped bool

	// runCtx is the context passed to Run.
	runCtx context.Context
	// ctx ends with runCtx, with the leadership, or when an informer has ended. After
	// that no reconcile begins. quit ends it.
	ctx  context.Context
	quit context.CancelCauseFunc
	// leading is the context of the leadership. When it ends, reconciles are canceled
	// at once. Its Err may report the end before its Done.
	leading context.Context
	// reconcileBase is the parent of the ctx of every reconcile. It does not end with
	// Run's ctx but when reconciles must end.
	reconcileBase    context.Context
	cancelReconciles context.CancelCauseFunc

	workers    []*worker
	goroutines sync.WaitGroup
	// pending is the number of sources whose existing objects have not been enqueued,
	// plus one until the start is complete.
	pending atomic.Int64

	// The fields below are guarded by c.mu.

	// started: all sources have synced, so that a source that is added is attached by
	// itself. stopping: sources that are attached must be detached at once.
	started, stopping bool
	// attached are the attached sources, and those that were detached and whose
	// functions have not returned.
	attached []*attachment

	// ended is closed when nothing of this run is running.
	ended chan struct{}
}

func newRun(ctx, lease context.Context, c *Controller) *run {
	r := &run{
		c: c, runCtx: ctx, leading: lease, ended: make(chan struct{}), logger: c.logger,
		queue:   workqueue.NewPriorityQueue(workqueue.PriorityQueueConfig[Request]{Name: c.name}),
		retries: retries{backoff: c.options.Backoff, maxPanics: c.options.MaxPanics},
	}
	r.pending.Store(1)
	r.ctx, r.quit = context.WithCancelCause(ctx)
	r.reconcileBase, r.cancelReconciles = context.WithCancelCause(context.WithoutCancel(ctx))
	r.gate = newGate(r)
	for range c.options.MaxConcurrentReconciles {
		r.workers = append(r.workers, &worker{run: r})
	}
	return r
}

// do executes the run from start to stop.
func (r *run) do() error {
	defer r.quit(nil)
	defer r.cancelReconciles(nil)
	defer context.AfterFunc(r.leading, func() { r.quit(context.Cause(r.leading)) })()
	err := r.start()
	if err == nil {
		<-r.ctx.Done()
		err = r.endError()
	}
	late := r.stop()
	if errors.Is(err, informer.ErrStopped) && r.endRequested() {
		err = nil
	}
	return errors.Join(err, late)
}

// sharedEndDelay is how long to wait for the ctx of Run to end after an informer has
// ended, since one context may end both in any order.
const sharedEndDelay = time.Second

// endRequested reports whether the run is asked to end now or within sharedEndDelay.
func (r *run) endRequested() bool {
	soon := time.NewTimer(sharedEndDelay)
	defer soon.Stop()
	select {
	case <-r.runCtx.Done():
		return true
	case <-r.leading.Done():
		return true
	case <-soon.C:
		return false
	}
}

// start waits for the informers, attaches the sources and starts the workers.
func (r *run) start() error {
	sources, err := r.waitForSync()
	if err != nil || r.ctx.Err() != nil {
		return err
	}
	for _, s := range sources {
		if err := r.attach(s); err != nil {
			return err
		}
	}
	r.gate.start()
	r.startReads()
	for _, w := range r.workers {
		r.goroutines.Go(w.work)
	}
	r.sourceSynced()
	return nil
}

// endError returns why the run ended, nil if it was asked to.
func (r *run) endError() error {
	switch cause := context.Cause(r.ctx).(type) {
	case *sourceEndedError:
		return fmt.Errorf("controller %s: %w", r.c.name, cause)
	case *configError:
		return cause.error
	}
	return nil
}

// queueKey enqueues a key. cause describes the change for the Trace, "" if there is none
// or if the Trace does not need it.
func (r *run) queueKey(req Request, reason Reason, cause string) {
	if reason == ReasonChanged {
		r.retries.changed(req)
	} else if r.retries.quarantined(req) {
		return
	}
	r.queue.AddWithPriority(req, reason.priority())
	r.traceQueued(req, reason, cause)
}
