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

// run is one Run of a controller.
type run struct {
	c        *Controller
	queue    *workqueue.Priority[Request]
	troubles troubles
	gate     *gate
	logger   *slog.Logger

	// told is Run's ctx.
	told context.Context
	// ctx ends with told, with the lease, and when an informer has ended: once
	// it has, no reconcile begins. quit ends it.
	ctx  context.Context
	quit context.CancelCauseFunc
	// lease ends when what has begun is to end at once. Its Err may know of that
	// before its Done does.
	lease context.Context
	// base is what the ctx of every reconcile comes from: it ends when what has
	// begun is to end, and not with Run's.
	base   context.Context
	cancel context.CancelCauseFunc

	team    []*worker
	workers sync.WaitGroup
	synced  atomic.Bool
	// ended is closed when nothing of this run goes on.
	ended chan struct{}
}

func newRun(ctx, lease context.Context, c *Controller) *run {
	r := &run{
		c: c, told: ctx, lease: lease, ended: make(chan struct{}), logger: c.logger,
		queue:    workqueue.NewPriority(workqueue.PriorityConfig[Request]{}),
		troubles: troubles{backoff: c.options.Backoff, maxPanics: c.options.MaxPanics},
	}
	r.ctx, r.quit = context.WithCancelCause(ctx)
	r.base, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	r.gate = newGate(r)
	for range c.options.MaxConcurrentReconciles {
		r.team = append(r.team, &worker{run: r})
	}
	return r
}

// do is the run, from its beginning to its end.
func (r *run) do() error {
	defer r.quit(nil)
	defer r.cancel(nil)
	defer context.AfterFunc(r.lease, func() { r.quit(context.Cause(r.lease)) })()
	sources, err := r.start()
	if err == nil {
		<-r.ctx.Done()
		err = r.broken()
	}
	late := r.stop(sources)
	if errors.Is(err, informer.ErrStopped) && r.toldToEnd() {
		err = nil
	}
	return errors.Join(err, late)
}

// sameEnd is how long an informer that has ended is taken for the first of two
// that one ctx ends: in what order it does nobody knows.
const sameEnd = time.Second

// toldToEnd reports whether the run was to end, or is about to be told so.
func (r *run) toldToEnd() bool {
	soon := time.NewTimer(sameEnd)
	defer soon.Stop()
	select {
	case <-r.told.Done():
		return true
	case <-r.lease.Done():
		return true
	case <-soon.C:
		return false
	}
}

// start waits for the informers, and begins. What it returns has begun, also if
// it fails.
func (r *run) start() (sources []source, err error) {
	if err := r.waitForSync(); err != nil {
		return nil, err
	}
	if r.ctx.Err() != nil {
		return nil, nil
	}
	for _, w := range r.c.watches {
		s, err := w.attach(r)
		if err != nil {
			return sources, fmt.Errorf("controller %s: %w", r.c.name, err)
		}
		sources = append(sources, s)
	}
	r.gate.start()
	for _, w := range r.team {
		r.workers.Go(w.work)
	}
	missing := new(atomic.Int64)
	missing.Store(int64(len(sources)))
	for _, s := range sources {
		r.workers.Go(func() { r.attend(s, missing) })
	}
	if r.c.options.Sweep > 0 {
		for _, w := range r.c.watches {
			if of, ok := w.(sweepable); ok && of.isFor() {
				r.workers.Go(func() { r.sweep(of) })
			}
		}
	}
	return sources, nil
}

// attend notes when all that a source has at the beginning has been told, and
// ends the run if the source ends by itself.
func (r *run) attend(s source, missing *atomic.Int64) {
	select {
	case <-s.synced:
		if missing.Add(-1) == 0 {
			r.synced.Store(true)
		}
	case <-s.done:
	case <-r.ctx.Done():
		return
	}
	select {
	case <-s.done:
		r.quit(&sourceError{s.name})
	case <-r.ctx.Done():
	}
}

// sourceError: there would be no news any more.
type sourceError struct{ name string }

func (e *sourceError) Error() string {
	return fmt.Sprintf("the informer of %s has ended before the controller, which would not hear of changes", e.name)
}

func (e *sourceError) Unwrap() error { return informer.ErrStopped }

// broken is why the run has ended, nil if it was told to.
func (r *run) broken() error {
	if e, ok := context.Cause(r.ctx).(*sourceError); ok {
		return fmt.Errorf("controller %s: %w", r.c.name, e)
	}
	return nil
}

// queueKey puts a key in line.
func (r *run) queueKey(req Request, why Reason) {
	if why == ReasonChanged {
		r.troubles.changed(req)
	} else if r.troubles.quarantined(req) {
		return
	}
	r.queue.AddWithPriority(req, why.priority())
	r.tellQueued(req, why)
}
