package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/thinformer/thinformer/controller/internal/health"
	"github.com/thinformer/thinformer/informer"
)

// waitForSync waits until every source has its first list, also those that are added
// meanwhile, and logs from time to time why one does not. It returns the sources. Those
// that are added later are attached by themselves.
func (r *run) waitForSync() ([]*addedSource, error) {
	log := &syncLog{informers: r.c.Informers}
	for synced := map[*addedSource]bool{}; ; {
		next, all := r.nextSource(synced)
		if next == nil {
			if log.logged && r.ctx.Err() == nil {
				r.logger.Info("All informers have synced")
			}
			return all, nil
		}
		if err := r.waitForSource(next, log); err != nil {
			return nil, err
		}
		if r.ctx.Err() != nil {
			return nil, nil // stopped before the start
		}
		synced[next] = true
	}
}

// nextSource returns a source that is not in synced. If there is none, it returns all
// sources, which the caller attaches.
func (r *run) nextSource(synced map[*addedSource]bool) (next *addedSource, all []*addedSource) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	for _, s := range r.c.watches {
		if !synced[s] {
			return s, nil
		}
	}
	r.started = true
	r.pending.Add(int64(len(r.c.watches)))
	return nil, slices.Clone(r.c.watches)
}

// syncLog logs the informers that have not synced.
type syncLog struct {
	informers func() []informer.AnyInformer
	next      time.Time
	logged    bool
}

// waitForSource waits until a source has its first list, is removed, or the run ends.
func (r *run) waitForSource(s *addedSource, log *syncLog) error {
	if log.next.IsZero() {
		log.next = time.Now().Add(health.SyncLogDelay)
	}
	for {
		ctx, cancel := context.WithDeadline(r.ctx, log.next)
		keep := context.AfterFunc(s.removal, cancel)
		err := s.waitForSync(ctx)
		late := ctx.Err() != nil
		keep()
		cancel()
		switch {
		case err == nil, r.ctx.Err() != nil, s.isRemoved():
			return nil
		case errors.Is(err, informer.ErrNotRunning):
			return fmt.Errorf("controller %s: %w: run it, or start its factory", r.c.name, err)
		case !late:
			return fmt.Errorf("controller %s: %w", r.c.name, err)
		}
		log.logged, log.next = r.logWaiting(log.informers()), time.Now().Add(health.SyncLogPeriod)
	}
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

// logWaiting logs those of the informers that are not synced. It logs nothing while a
// Program waits for its informers, since that logs all informers together.
func (r *run) logWaiting(informers []informer.AnyInformer) (logged bool) {
	if synced, ok := r.ctx.Value(programKey{}).(func() bool); ok && !synced() {
		return false
	}
	for _, inf := range informers {
		if s := inf.State(); !s.Synced {
			r.logger.Warn("Waiting for the first list of an informer", health.UnsyncedAttrs(s)...)
		}
	}
	return true
}
