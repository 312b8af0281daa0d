package controller

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// reconciling is one call of Reconcile, and the context that it is given. What
// a context costs is paid by those who use it: one that nobody asks for its
// Done or for a value is this struct and no more.
type reconciling struct {
	run     *run
	request Request
	// began is when Reconcile was called; deadline is zero if it has no bound.
	began, deadline time.Time

	mu sync.Mutex
	// made is the context that stands for this one since somebody has asked for
	// its Done or for a value; nil before. Once made it stays the same.
	made   context.Context
	cancel context.CancelFunc
	// ended: Reconcile has returned, so that nothing is done in its name.
	ended bool
	// log is made when it is asked for.
	log *slog.Logger
	// unseen is what the gate waits for when the reconcile has ended; settled:
	// the gate was told that it has.
	unseen  []*wait
	settled bool
}

var _ context.Context = (*reconciling)(nil)

// Deadline implements context.Context.
func (r *reconciling) Deadline() (time.Time, bool) { return r.deadline, !r.deadline.IsZero() }

// Done implements context.Context.
func (r *reconciling) Done() <-chan struct{} { return r.real().Done() }

// Err implements context.Context.
func (r *reconciling) Err() error {
	r.mu.Lock()
	made, ended := r.made, r.ended
	r.mu.Unlock()
	switch {
	case made != nil:
		if err := made.Err(); err != nil {
			return err
		}
	case ended:
		return context.Canceled
	case r.run.base.Err() != nil:
		return r.run.base.Err()
	case !r.deadline.IsZero() && time.Now().After(r.deadline):
		return context.DeadlineExceeded
	}
	return r.run.lease.Err()
}

// Value implements context.Context.
func (r *reconciling) Value(key any) any {
	if key == (loggerKey{}) {
		return r
	}
	return r.real().Value(key)
}

// real is a context of the standard library, whose children need no goroutine to
// hear of its end, and which tells the gate of writes.
func (r *reconciling) real() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made != nil {
		return r.made
	}
	var ctx context.Context
	if r.deadline.IsZero() {
		ctx, r.cancel = context.WithCancel(r.run.base)
	} else {
		ctx, r.cancel = context.WithDeadline(r.run.base, r.deadline)
	}
	if r.ended {
		r.cancel()
	}
	r.made = rest.WithTrace(ctx, &rest.Trace{Wrote: func(w rest.Written) { r.run.gate.wrote(r, w) }})
	return r.made
}

// end ends the context.
func (r *reconciling) end() {
	r.mu.Lock()
	r.ended = true
	cancel := r.cancel
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
