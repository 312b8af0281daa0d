package controller

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// reconcileContext is one call of Reconcile and its context. A context of the standard
// library is created only when Done or Value is called. Otherwise this struct is the
// only allocation.
type reconcileContext struct {
	run     *run
	request Request
	// began is when Reconcile was called. deadline is zero if there is none.
	began, deadline time.Time

	mu sync.Mutex
	// std is the standard context, created by the first call of Done or Value; nil
	// before. It does not change afterwards.
	std    context.Context
	cancel context.CancelFunc
	// log is created on first use.
	log *slog.Logger
	// waits are passed to the gate when the reconcile has ended. settled is set once
	// they have been passed.
	waits []*wait
	// ended is set when Reconcile has returned.
	ended, settled bool

	// reads is nil, or a *reads.Attempt[Request] with the tracked reads. It is guarded by
	// the mutex of the tracker. With its type here, every program would link the
	// descriptors of all types of package reads.
	reads any
}

var _ context.Context = (*reconcileContext)(nil)

// Deadline implements context.Context.
func (r *reconcileContext) Deadline() (time.Time, bool) { return r.deadline, !r.deadline.IsZero() }

// Done implements context.Context.
func (r *reconcileContext) Done() <-chan struct{} { return r.standard().Done() }

// Err implements context.Context.
func (r *reconcileContext) Err() error {
	r.mu.Lock()
	std, ended := r.std, r.ended
	r.mu.Unlock()
	switch {
	case std != nil:
		if err := std.Err(); err != nil {
			return err
		}
	case ended:
		return context.Canceled
	case r.run.reconcileBase.Err() != nil:
		return r.run.reconcileBase.Err()
	case !r.deadline.IsZero() && time.Now().After(r.deadline):
		return context.DeadlineExceeded
	}
	return r.run.leading.Err()
}

// Value implements context.Context.
func (r *reconcileContext) Value(key any) any {
	if key == (loggerKey{}) {
		return r
	}
	return r.standard().Value(key)
}

// standard returns a context of the standard library. Its children need no goroutine
// to observe its end. It reports writes to the gate.
func (r *reconcileContext) standard() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.std != nil {
		return r.std
	}
	var ctx context.Context
	if r.deadline.IsZero() {
		ctx, r.cancel = context.WithCancel(r.run.reconcileBase)
	} else {
		ctx, r.cancel = context.WithDeadline(r.run.reconcileBase, r.deadline)
	}
	if r.ended {
		r.cancel()
	}
	trace := &rest.Trace{Wrote: r.wrote}
	if t := r.run.tracking(); t != nil {
		trace.RequestStart = func(info rest.RequestInfo) { t.sending(r, info) }
	}
	r.std = rest.WithTrace(ctx, trace)
	return r.std
}

// wrote is called for each write that the server has accepted.
func (r *reconcileContext) wrote(w rest.WriteInfo) {
	if t := r.run.tracking(); t != nil {
		t.wrote(r, w)
	}
	r.run.gate.wrote(r, w)
}

// end ends the context.
func (r *reconcileContext) end() {
	r.mu.Lock()
	r.ended = true
	cancel := r.cancel
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

type loggerKey struct{}

// Logger returns the logger of the reconcile that ctx was passed to. It has the
// controller, and the namespace and name of the key. For any other context it returns
// [slog.Default].
func Logger(ctx context.Context) *slog.Logger {
	if r, ok := ctx.Value(loggerKey{}).(*reconcileContext); ok {
		return r.logger()
	}
	return slog.Default()
}

func (r *reconcileContext) logger() *slog.Logger {
	r.mu.Lock()
	log := r.log
	r.mu.Unlock()
	if log != nil {
		return log
	}
	log = r.run.loggerOf(r.request)
	r.mu.Lock()
	r.log = log
	r.mu.Unlock()
	return log
}

// loggerOf returns a logger with the key. Log handlers are user code, so no lock is
// held.
func (r *run) loggerOf(req Request) *slog.Logger {
	if req.Namespace == "" {
		return r.logger.With("name", req.Name)
	}
	return r.logger.With("namespace", req.Namespace, "name", req.Name)
}
