package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// StopError lists the reconciles and informers with calls that had not returned when
// Run returned. These calls continue, but no new ones start. Run cannot be called
// again until they have returned.
type StopError struct {
	Controller string
	// Requests are the keys whose reconcile has not returned although its ctx has
	// ended.
	Requests []Request
	// Sources are the informers whose predicates, mapping or index functions have not
	// returned. If Requests and Sources are both empty, a function of the Trace or the
	// handler of the Logger has not returned.
	Sources []string
}

func (e *StopError) Error() string {
	var late []string
	for _, req := range e.Requests {
		late = append(late, "the reconcile of "+req.String()+", whose ctx has ended")
	}
	for _, name := range e.Sources {
		late = append(late, "a function called for "+name)
	}
	if late == nil {
		late = append(late, "a function of the Trace, or the handler of the Logger")
	}
	return fmt.Sprintf("controller %s: stopping: not returned in time: %s", e.Controller, strings.Join(late, "; "))
}

// Unwrap returns [ErrStillRunning].
func (e *StopError) Unwrap() error { return ErrStillRunning }

// stop waits for reconciles in progress, until StopTimeout or the loss of leadership.
// Then it cancels their ctx and waits for CancelTimeout.
func (r *run) stop() error {
	r.queue.ShutDown()
	attached := r.beginStop()
	for _, a := range attached {
		a.remove()
	}
	go func() {
		defer close(r.ended)
		for _, a := range attached {
			<-a.done
		}
		r.goroutines.Wait()
		r.stopReads()
		r.gate.stop()
	}()
	grace := time.NewTimer(r.c.options.StopTimeout)
	defer grace.Stop()
	select {
	case <-r.ended:
		return nil
	case <-grace.C:
		r.cancelReconciles(errStopTimeout)
	case <-r.leading.Done():
		r.cancelReconciles(context.Cause(r.leading))
	}
	bound := time.NewTimer(r.c.options.CancelTimeout)
	defer bound.Stop()
	select {
	case <-r.ended:
		return nil
	case <-bound.C:
		return r.stopError()
	}
}

// errStopTimeout is the cause of a reconcile's ctx that is canceled after StopTimeout.
var errStopTimeout = errors.New("controller: stopping: StopTimeout has passed")

// stopError returns a StopError of what has not ended, nil if it ends within a second.
func (r *run) stopError() error {
	e := &StopError{Controller: r.c.name}
	for _, w := range r.working() {
		e.Requests = append(e.Requests, w.Request)
	}
	for _, a := range r.attachments() {
		select {
		case <-a.done:
		default:
			e.Sources = append(e.Sources, a.name)
		}
	}
	if t := r.tracking(); t != nil {
		for _, name := range t.running() {
			if !slices.Contains(e.Sources, name) {
				e.Sources = append(e.Sources, name)
			}
		}
	}
	if e.Requests == nil && e.Sources == nil {
		select {
		case <-r.ended:
			return nil // it ended in the meantime
		case <-time.After(time.Second):
		}
	}
	return e
}
