package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// StopError names what had not ended when Run returned: it goes on, on its own,
// and begins nothing more. As long as it does, Run cannot be called again.
type StopError struct {
	Controller string
	// Requests are the keys whose reconcile has not returned, although its ctx
	// has ended.
	Requests []Request
	// Sources are those whose predicates or mapping have not returned. If there
	// are neither Requests nor Sources, it is a function of the Trace, or the
	// handler of the Logger.
	Sources []string
}

func (e *StopError) Error() string {
	var late []string
	for _, req := range e.Requests {
		late = append(late, "the reconcile of "+req.String()+", whose ctx has ended")
	}
	for _, name := range e.Sources {
		late = append(late, "a function that was called for "+name)
	}
	if late == nil {
		late = append(late, "a function of the Trace, or the handler of the Logger")
	}
	return fmt.Sprintf("controller %s: stopping: these have not returned in time: %s", e.Controller, strings.Join(late, "; "))
}

// Unwrap is [ErrStillRunning].
func (e *StopError) Unwrap() error { return ErrStillRunning }

// stop waits for what has begun: as long as StopTimeout allows, or the lease;
// then the ctx of all that goes on ends, and CancelTimeout is the bound.
func (r *run) stop(sources []source) error {
	r.queue.ShutDown()
	for _, s := range sources {
		s.remove()
	}
	go func() {
		defer close(r.ended)
		for _, s := range sources {
			<-s.done
		}
		r.workers.Wait()
		r.gate.stop()
	}()
	grace := time.NewTimer(r.c.options.StopTimeout)
	defer grace.Stop()
	select {
	case <-r.ended:
		return nil
	case <-grace.C:
		r.cancel(errGrace)
	case <-r.lease.Done():
		r.cancel(context.Cause(r.lease))
	}
	bound := time.NewTimer(r.c.options.CancelTimeout)
	defer bound.Stop()
	select {
	case <-r.ended:
		return nil
	case <-bound.C:
		return r.late(sources)
	}
}

// errGrace is the cause of the end of a reconcile's ctx, if it is not the lease.
var errGrace = errors.New("controller: it is stopping, and StopTimeout has passed")

// late names what has not ended.
func (r *run) late(sources []source) error {
	e := &StopError{Controller: r.c.name}
	for _, w := range r.working() {
		e.Requests = append(e.Requests, w.Request)
	}
	for _, s := range sources {
		select {
		case <-s.done:
		default:
			e.Sources = append(e.Sources, s.name)
		}
	}
	if e.Requests == nil && e.Sources == nil {
		select {
		case <-r.ended:
			return nil // it was on its way
		case <-time.After(time.Second):
		}
	}
	return e
}
