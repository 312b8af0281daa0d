package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// waitForSync waits until the first list of every informer is there, and says
// from time to time why it is not.
func (r *run) waitForSync() error {
	told, next := false, time.Now().Add(patience)
	for _, w := range r.c.watches {
		for {
			ctx, cancel := context.WithDeadline(r.ctx, next)
			err := w.waitForSync(ctx)
			late := ctx.Err() != nil
			cancel()
			switch {
			case err == nil:
			case r.ctx.Err() != nil:
				return nil // nothing has begun, and nothing will
			case errors.Is(err, informer.ErrNotRunning):
				return fmt.Errorf("controller %s: %w: run it beside the controller, or start its factory", r.c.name, err)
			case !late:
				return fmt.Errorf("controller %s: %w", r.c.name, err)
			}
			if err == nil {
				break
			}
			told, next = r.logWaiting(), time.Now().Add(rarely)
		}
	}
	if told {
		r.logger.Info("All informers have their first list")
	}
	return nil
}

// waiting are the informers that have not synced.
func (r *run) waiting() []Waiting {
	var all []Waiting
	for _, inf := range r.c.Informers() {
		s := inf.State()
		if s.Synced {
			continue
		}
		w := Waiting{Informer: s.Name, Resource: s.Resource, Reason: s.Source.Err}
		if w.Reason == nil && !s.Running {
			w.Reason = informer.ErrNotRunning
		}
		all = append(all, w)
	}
	return all
}

// logWaiting is silent within a Run of the package, which tells of all informers
// at once.
func (r *run) logWaiting() (logged bool) {
	if r.ctx.Value(programKey{}) != nil {
		return false
	}
	for _, inf := range r.c.Informers() {
		if s := inf.State(); !s.Synced {
			r.logger.Warn("Nothing is reconciled before the informer has its first list", whyNot(s)...)
		}
	}
	return true
}
