package controller

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TerminalError wraps err as an error that a retry does not fix. It is logged, and the
// key is reconciled again only after a change. It returns nil if err is nil.
func TerminalError(err error) error {
	if err == nil {
		return nil
	}
	return &terminalError{err}
}

type terminalError struct{ error }

func (t *terminalError) Unwrap() error { return t.error }

func isTerminal(err error) bool {
	var t *terminalError
	return errors.As(err, &t)
}

// IgnoreNotFound returns nil if err reports that an object does not exist, and err
// otherwise. Use it to delete an object that may already be deleted.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// outcome is the outcome of a reconcile.
type outcome struct {
	result Result
	err    error
	// text, terminal and conflict are derived from err once. err's methods are user
	// code and are not called again.
	text               string
	terminal, conflict bool
	// panicErr is err if the reconcile panicked.
	panicErr *panicError
}

// returnedOutcome is the outcome of a reconcile that returned. It inspects err. If
// err's methods panic, for example for a nil pointer in an interface, the reconcile
// counts as panicked.
func returnedOutcome(result Result, err error) outcome {
	if err == nil && result.RequeueAfter < 0 {
		err = fmt.Errorf("%w: %v", ErrRequeueAfter, result.RequeueAfter)
	}
	if err == nil {
		return outcome{result: result}
	}
	return outcome{result: result, err: err, text: err.Error(), terminal: isTerminal(err), conflict: apierrors.IsConflict(err)}
}

// panickedOutcome is the outcome of a reconcile that panicked.
func panickedOutcome(err *panicError) outcome {
	return outcome{err: err, text: err.Error(), panicErr: err}
}

// panicError is the error of a reconcile that panicked.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// goexitOutcome is the outcome of a reconcile that ended its goroutine, as FailNow of
// a test does.
var goexitOutcome = panickedOutcome(&panicError{value: "the goroutine was ended (runtime.Goexit)"})

// finish records the outcome of a reconcile and requeues the key if needed.
func (r *run) finish(job *reconcileContext, o outcome) {
	req, counts := job.request, &r.c.counts
	counts.reconciles.Add(1)
	switch {
	case o.err == nil:
		r.retries.forget(req)
		if o.result.RequeueAfter > 0 {
			r.queue.AddAfter(req, o.result.RequeueAfter)
		}
		r.traceEnded(job, o)
	case o.terminal:
		counts.errors.Add(1)
		r.retries.forget(req)
		job.logger().Error("Reconcile failed with a terminal error; the key is not retried", "err", o.err)
		r.traceEnded(job, o)
	default:
		v := r.retry(job, o)
		r.traceEnded(job, o)
		r.traceFailed(req, v, o.err)
	}
}

// retry requeues a failed key with backoff.
func (r *run) retry(job *reconcileContext, o outcome) retryDecision {
	r.c.counts.errors.Add(1)
	if o.panicErr != nil {
		r.c.counts.panics.Add(1)
	}
	v := r.retries.failed(job.request, o, time.Now())
	switch {
	case v.quarantined:
		job.logger().Error("Reconcile panicked too often; the key is in quarantine until it changes",
			"failures", v.failures, "err", o.err, "stack", string(o.panicErr.stack))
		return v
	case r.reconcileBase.Err() != nil: // its ctx was canceled
		job.logger().Debug("Reconcile was interrupted", "err", o.err)
	case o.panicErr != nil && v.shouldLog:
		job.logger().Error("Reconcile panicked", "failures", v.failures, "retry", v.wait, "err", o.err, "stack", string(o.panicErr.stack))
	case v.shouldLog:
		job.logger().Log(job, o.level(v.failures), "Reconcile failed", "failures", v.failures, "retry", v.wait, "err", o.err)
	}
	r.c.counts.retries.Add(1)
	r.queue.AddAfter(job.request, v.wait)
	return v
}

// expectedConflicts is the number of consecutive conflicts that are logged at the
// debug level.
const expectedConflicts = 5

// level returns the log level of a failure. A conflict means that another client has
// written the object; it is an error only if retries do not resolve it.
func (o outcome) level(failures int) slog.Level {
	if o.conflict && failures <= expectedConflicts {
		return slog.LevelDebug
	}
	return slog.LevelError
}
