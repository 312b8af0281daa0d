package controller

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/workqueue"
)

// run is one Run of a controller.
type run struct {
	c      *Controller
	queue  *workqueue.Priority[Request]
	logger *slog.Logger

	// ctx is Run's: once it has ended, no reconcile begins.
	ctx context.Context
	// lease ends when what has begun is to end at once. Its Err may know of that
	// before its Done does.
	lease context.Context
	// base is what the ctx of every reconcile comes from: it ends when what has
	// begun is to end, and not with Run's.
	base   context.Context
	cancel context.CancelFunc

	gate    *gate
	team    []*worker
	workers sync.WaitGroup
	synced  atomic.Bool
}

func newRun(ctx context.Context, c *Controller) *run {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &run{
		c: c, ctx: ctx, lease: context.Background(), base: base, cancel: cancel,
		logger: c.options.Logger.With("controller", c.name),
		queue: workqueue.NewPriority(workqueue.PriorityConfig[Request]{
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[Request](c.options.Backoff.Base, c.options.Backoff.Max),
		}),
	}
	r.gate = newGate(r)
	for range c.options.MaxConcurrentReconciles {
		r.team = append(r.team, &worker{run: r})
	}
	return r
}

func (r *run) do(ctx context.Context) (err error) {
	defer r.cancel()
	for _, w := range r.c.watches {
		if err := w.waitForSync(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("controller %s: %w", r.c.name, err)
		}
	}
	var initial []<-chan struct{}
	for i, w := range r.c.watches {
		synced, err := w.attach(r)
		if err != nil {
			r.detach(r.c.watches[:i])
			r.queue.ShutDown()
			return fmt.Errorf("controller %s: %w", r.c.name, err)
		}
		initial = append(initial, synced)
	}
	for _, w := range r.team {
		r.workers.Go(w.work)
	}
	r.workers.Go(func() {
		for _, synced := range initial {
			select {
			case <-synced:
			case <-ctx.Done():
				return
			}
		}
		r.synced.Store(true)
	})
	<-ctx.Done()
	r.queue.ShutDown()
	r.detach(r.c.watches)
	defer r.gate.stop()
	return r.stop()
}

func (r *run) detach(watches []watched) {
	for _, w := range watches {
		<-w.detach()
	}
}

// stop waits for the workers, as long as the options allow.
func (r *run) stop() error {
	ended := make(chan struct{})
	go func() { r.workers.Wait(); close(ended) }()
	grace := time.NewTimer(r.c.options.StopTimeout)
	defer grace.Stop()
	select {
	case <-ended:
		return nil
	case <-grace.C:
	}
	r.cancel()
	<-ended
	return nil
}

func (r *run) queueAll(requests []Request, priority int) {
	for _, req := range requests {
		r.queue.AddWithPriority(req, priority)
		if t := r.c.options.Trace; t != nil && t.Queued != nil {
			t.Queued(TraceInfo{Controller: r.c.name, Request: req})
		}
	}
}

// into tells of the run.
func (r *run) into(s *State) {
	s.Running = true
	s.Synced = r.synced.Load()
	s.Queued = r.queue.Len()
	for _, w := range r.team {
		if w.job.Load() != nil {
			s.Working++
		}
	}
}
