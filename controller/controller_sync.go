package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/controller/internal/health"
	"github.com/thinformer/thinformer/informer"
)

// waitForSync waits until every informer has its first list, and logs from time to
// time why one does not.
func (r *run) waitForSync() error {
	logged, next := false, time.Now().Add(health.SyncLogDelay)
	for _, w := range r.c.watches {
		for {
			ctx, cancel := context.WithDeadline(r.ctx, next)
			err := w.waitForSync(ctx)
			late := ctx.Err() != nil
			cancel()
			switch {
			case err == nil:
			case r.ctx.Err() != nil:
				return nil // stopped before the start
			case errors.Is(err, informer.ErrNotRunning):
				return fmt.Errorf("controller %s: %w: run it, or start its factory", r.c.name, err)
			case !late:
				return fmt.Errorf("controller %s: %w", r.c.name, err)
			}
			if err == nil {
				break
			}
			logged, next = r.logWaiting(), time.Now().Add(health.SyncLogPeriod)
		}
	}
	if logged {
		r.logger.Info("All informers have synced")
	}
	return nil
}

// waiting returns the informers that are not ready.
func (r *run) waiting() []UnreadyInformer {
	var all []UnreadyInformer
	for _, inf := range r.c.Informers() {
		s := inf.State()
		if s.Synced {
			if err := health.UndecodableError(s); err != nil {
				all = append(all, UnreadyInformer{Informer: s.Name, Resource: s.Resource, Synced: true, Reason: err})
			}
			continue
		}
		w := UnreadyInformer{Informer: s.Name, Resource: s.Resource, Reason: s.Source.Err}
		if w.Reason == nil && !s.Running {
			w.Reason = informer.ErrNotRunning
		}
		all = append(all, w)
	}
	return all
}

// logWaiting logs the informers that are not synced. It logs nothing while a Program
// waits for its informers, since that logs all informers together.
func (r *run) logWaiting() (logged bool) {
	if p, ok := r.ctx.Value(programKey{}).(*Program); ok && !p.hasSynced() {
		return false
	}
	for _, inf := range r.c.Informers() {
		if s := inf.State(); !s.Synced {
			r.logger.Warn("Waiting for the first list of an informer", health.UnsyncedAttrs(s)...)
		}
	}
	return true
}
