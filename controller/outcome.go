package controller

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TerminalError is err as an error that repeating does not mend: it is logged,
// and the key does not come again before something has changed. nil stays nil.
func TerminalError(err error) error {
	if err == nil {
		return nil
	}
	return &terminal{err}
}

type terminal struct{ error }

func (t *terminal) Unwrap() error { return t.error }

func isTerminal(err error) bool {
	var t *terminal
	return errors.As(err, &t)
}

// IgnoreNotFound is nil if err says that an object is not there, else err: for
// a delete of what may be gone already.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// outcome is how a reconcile has ended.
type outcome struct {
	result Result
	err    error
}

// panicError is a reconcile that panicked.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// errGoexit: the goroutine was ended from within, as FailNow of a test does.
var errGoexit = &panicError{value: "the goroutine was ended (runtime.Goexit)"}

// settle says when the key is to come again.
func (r *run) settle(job *reconciling, o outcome) {
	req, counts := job.request, &r.c.counts
	counts.reconciles.Add(1)
	switch {
	case o.err == nil:
		r.troubles.forget(req)
		if o.result.RequeueAfter > 0 {
			r.queue.AddAfter(req, o.result.RequeueAfter)
		}
		r.tellEnded(job, o)
	case isTerminal(o.err):
		counts.errors.Add(1)
		r.troubles.forget(req)
		job.logger().Error("Reconciling has failed, and is not repeated", "err", o.err)
		r.tellEnded(job, o)
	default:
		v := r.failed(job, o.err)
		r.tellEnded(job, o)
		r.tellFailed(req, v, o.err)
	}
}

// failed has the key come again later.
func (r *run) failed(job *reconciling, err error) verdict {
	r.c.counts.errors.Add(1)
	panicked, _ := err.(*panicError)
	if panicked != nil {
		r.c.counts.panics.Add(1)
	}
	v := r.troubles.failed(job.request, err, panicked != nil, time.Now())
	switch {
	case v.quarantined:
		job.logger().Error("Reconciling has panicked too often, and is not repeated before something has changed",
			"panics", v.failures, "err", err, "stack", string(panicked.stack))
		return v
	case r.base.Err() != nil: // it was told to end
		job.logger().Debug("Reconciling was cut off", "err", err)
	case panicked != nil && v.news:
		job.logger().Error("Reconciling has panicked", "failures", v.failures, "retry", v.wait, "err", err, "stack", string(panicked.stack))
	case v.news:
		job.logger().Log(job, levelOf(err, v.failures), "Reconciling has failed", "failures", v.failures, "retry", v.wait, "err", err)
	}
	r.c.counts.retries.Add(1)
	r.queue.AddAfter(job.request, v.wait)
	return v
}

// normalConflicts is how many conflicts in a row are nothing to worry about.
const normalConflicts = 5

// levelOf: that somebody else has written meanwhile is what versions are for, and
// no error as long as the next try gets through.
func levelOf(err error, failures int) slog.Level {
	if apierrors.IsConflict(err) && failures <= normalConflicts {
		return slog.LevelDebug
	}
	return slog.LevelError
}
