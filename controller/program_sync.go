package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/controller/internal/health"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

const (
	// startDelay is how long an informer that does not run yet is assumed to be
	// started by its owner. It is also the interval for checking and logging.
	startDelay = time.Second
	// syncPollPeriod is the interval for polling informers that Run does not run and
	// cannot wait for.
	syncPollPeriod = 50 * time.Millisecond
	// pollsPerRefresh is the number of polls after which they include the informers
	// that were added, and omit those that were released.
	pollsPerRefresh = 20
)

// informers returns all informers of the program at this moment, each once. Those of
// removed controllers do not count, since they may be stopped.
func (p *Program) informers() []informer.AnyInformer {
	return informersOf(p.options, p.remaining())
}

// scope is what informers are grouped by, so that few have to be compared.
type scope struct {
	resource  rest.ResourceInfo
	namespace string
}

func scopeOf(inf informer.AnyInformer) scope {
	if shared, ok := inf.(sharedInformer); ok {
		return scope{shared.ResourceInfo(), shared.ScopedNamespace()}
	}
	return scope{}
}

// informersOf returns the informers of a program with these controllers, each once.
func informersOf(o RunOptions, controllers []*Controller) []informer.AnyInformer {
	var all []informer.AnyInformer
	grouped := map[scope][]informer.AnyInformer{}
	add := func(inf informer.AnyInformer) {
		group := scopeOf(inf)
		if !contains(grouped[group], inf) {
			grouped[group], all = append(grouped[group], inf), append(all, inf)
		}
	}
	if o.Factory != nil {
		for _, inf := range o.Factory.Informers() {
			add(inf)
		}
	}
	for _, inf := range o.Informers {
		add(inf)
	}
	for _, c := range controllers {
		for _, inf := range c.Informers() {
			add(inf)
		}
	}
	return all
}

// sync waits for the informers and calls Synced.
func (p *Program) sync(ctx context.Context) {
	err := p.waitForSync(ctx)
	if ctx.Err() != nil {
		return
	}
	if err == nil && p.options.Synced != nil {
		if err = p.options.Synced(ctx); err != nil {
			err = fmt.Errorf("controller: RunOptions.Synced: %w", err)
		}
	}
	if err != nil {
		p.fail(err)
		return
	}
	close(p.synced)
}

// hasSynced reports whether the informers have synced and Synced has returned.
func (p *Program) hasSynced() bool {
	select {
	case <-p.synced:
		return true
	default:
		return false
	}
}

// waitForSync waits until all informers have synced. It logs those that take long, and
// when they have synced.
func (p *Program) waitForSync(ctx context.Context) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	arrived := make(chan error, 1)
	go func() { arrived <- p.allSynced(ctx) }()
	known := p.informers() // at the last tick, so that their owners had startDelay to run them
	report := health.NewSyncReport(p.logger, time.Now())
	defer report.LogSynced()
	tick := time.NewTicker(startDelay)
	defer tick.Stop()
	var expired <-chan time.Time
	if bound := p.options.SyncTimeout; bound > 0 {
		timer := time.NewTimer(bound)
		defer timer.Stop()
		expired = timer.C
	}
	for {
		select {
		case err := <-arrived:
			return err
		case now := <-tick.C:
			idle := slices.DeleteFunc(known, func(inf informer.AnyInformer) bool { return !isIdle(inf.State()) })
			known = p.informers()
			idle = slices.DeleteFunc(idle, func(inf informer.AnyInformer) bool { return !contains(known, inf) }) // it was released
			if err := p.notRunningError(idle); err != nil {
				enough()
				<-arrived
				return err
			}
			report.LogPending(now, known)
		case <-expired:
			enough()
			<-arrived
			return p.expired(p.informers())
		}
	}
}

// isIdle reports whether an informer waits for its owner to run it.
func isIdle(s informer.State) bool { return !s.Synced && !s.Running }

func contains(all []informer.AnyInformer, inf informer.AnyInformer) bool {
	return slices.ContainsFunc(all, func(other informer.AnyInformer) bool { return informer.SameInformer(inf, other) })
}

// expired returns the error after SyncTimeout, nil if all informers have synced in the
// meantime.
func (p *Program) expired(all []informer.AnyInformer) error {
	var waiting []error
	for _, inf := range all {
		if s := inf.State(); !s.Synced {
			waiting = append(waiting, fmt.Errorf("%s: %w", s.Name, health.NotReady(s)))
		}
	}
	if waiting == nil {
		return nil
	}
	return fmt.Errorf("%w, %v (RunOptions.SyncTimeout): %w", ErrSyncTimeout, p.options.SyncTimeout, errors.Join(waiting...))
}

// allSynced returns when all informers have synced, ctx is done, or one cannot sync.
// Informers may be added and released meanwhile.
func (p *Program) allSynced(ctx context.Context) error {
	if p.options.Factory != nil {
		if err := p.options.Factory.WaitForSync(ctx); err != nil {
			return fmt.Errorf("controller: the factory: %w", err)
		}
	}
	for _, inf := range p.options.Informers {
		if err := inf.WaitForSync(ctx); err != nil {
			return fmt.Errorf("controller: %w", err)
		}
	}
	ticker := time.NewTicker(syncPollPeriod)
	defer ticker.Stop()
	for all, polls := p.informers(), 1; slices.ContainsFunc(all, notSynced); polls++ {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if polls%pollsPerRefresh == 0 || !slices.ContainsFunc(all, notSynced) {
			all = p.informers()
		}
	}
	return nil
}

func notSynced(inf informer.AnyInformer) bool { return !inf.State().Synced }

// notRunningError returns an error for informers that are not synced and not running.
func (p *Program) notRunningError(all []informer.AnyInformer) error {
	var idle []error
	for _, inf := range all {
		if s := inf.State(); isIdle(s) {
			idle = append(idle, fmt.Errorf("%w: %s, which %s for: pass its factory to Run (RunOptions.Factory), or the informer itself if it was created with informer.New (RunOptions.Informers)",
				informer.ErrNotRunning, s.Name, p.waitingControllers(inf)))
		}
	}
	return errors.Join(idle...)
}

// waitingControllers returns the controllers that watch an informer, with a verb.
func (p *Program) waitingControllers(inf informer.AnyInformer) string {
	var names []string
	for _, c := range p.controllers() {
		for _, watched := range c.Informers() {
			if informer.SameInformer(watched, inf) {
				names = append(names, c.name)
				break
			}
		}
	}
	if len(names) == 1 {
		return "controller " + names[0] + " waits"
	}
	return "controllers " + strings.Join(names, ", ") + " wait"
}
