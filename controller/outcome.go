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
	// text is what err says, and terminal and conflict what it is. Nobody asks
	// err itself again, whose methods are the user's.
	text               string
	terminal, conflict bool
	// panic is err, if that is one.
	panic *panicError
}

// returned is the outcome of a reconcile that has returned. It asks the error
// what it is, and where that panics, as a nil pointer in an interface does, the
// reconcile has panicked.
func returned(result Result, err error) outcome {
	if err == nil {
		return outcome{result: result}
	}
	return outcome{result: result, err: err, text: err.Error(), terminal: isTerminal(err), conflict: apierrors.IsConflict(err)}
}

// panicked is the outcome of one that has not.
func panicked(err *panicError) outcome { return outcome{err: err, text: err.Error(), panic: err} }

// panicError is a reconcile that panicked.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// unfinished is the outcome where the goroutine was ended from within, as FailNow
// of a test does.
var unfinished = panicked(&panicError{value: "the goroutine was ended (runtime.Goexit)"})

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
	case o.terminal:
		counts.errors.Add(1)
		r.troubles.forget(req)
		job.logger().Error("Reconciling has failed, and is not repeated", "err", o.err)
		r.tellEnded(job, o)
	default:
		v := r.failed(job, o)
		r.tellEnded(job, o)
		r.tellFailed(req, v, o.err)
	}
}

// failed has the key come again later.
func (r *run) failed(job *reconciling, o outcome) verdict {
	r.c.counts.errors.Add(1)
	if o.panic != nil {
		r.c.counts.panics.Add(1)
	}
	v := r.troubles.failed(job.request, o, time.Now())
	switch {
	case v.quarantined:
		job.logger().Error("Reconciling has panicked too often, and is not repeated before something has changed",
			"failures", v.failures, "err", o.err, "stack", string(o.panic.stack))
		return v
	case r.base.Err() != nil: // it was told to end
		job.logger().Debug("Reconciling was cut off", "err", o.err)
	case o.panic != nil && v.news:
		job.logger().Error("Reconciling has panicked", "failures", v.failures, "retry", v.wait, "err", o.err, "stack", string(o.panic.stack))
	case v.news:
		job.logger().Log(job, o.level(v.failures), "Reconciling has failed", "failures", v.failures, "retry", v.wait, "err", o.err)
	}
	r.c.counts.retries.Add(1)
	r.queue.AddAfter(job.request, v.wait)
	return v
}

// normalConflicts is how many conflicts in a row are nothing to worry about.
const normalConflicts = 5

// level of the log: that somebody else has written meanwhile is what versions are
// for, and no error as long as the next try gets through.
func (o outcome) level(failures int) slog.Level {
	if o.conflict && failures <= normalConflicts {
		return slog.LevelDebug
	}
	return slog.LevelError
}
