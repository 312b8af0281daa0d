package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/informer"
)

const (
	// toBeRun is how long an informer is taken for one that its owner is about to
	// run, and how often those that wait are looked at.
	toBeRun = time.Second
	// unseen is how often informers are looked at that nobody can wait for.
	unseen = 50 * time.Millisecond
)

// informers are all that the program has to do with, each once.
func (p *program) informers() []informer.AnyInformer {
	var all []informer.AnyInformer
	add := func(inf informer.AnyInformer) {
		for _, other := range all {
			if informer.Same(other, inf) {
				return
			}
		}
		all = append(all, inf)
	}
	if p.options.Factory != nil {
		for _, inf := range p.options.Factory.Informers() {
			add(inf)
		}
	}
	for _, inf := range p.options.Informers {
		add(inf)
	}
	for _, c := range p.controllers {
		for _, inf := range c.Informers() {
			add(inf)
		}
	}
	return all
}

// sync waits for the informers, and calls Synced.
func (p *program) sync(ctx context.Context) {
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

// waitForSync waits until all informers have synced, and logs what takes its
// time, and that it is over.
func (p *program) waitForSync(ctx context.Context) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	all := p.informers()
	arrived := make(chan error, 1)
	go func() { arrived <- p.arrival(ctx, all) }()
	began := time.Now()
	late := report{logger: p.logger, began: began, due: began.Add(patience)}
	defer late.over()
	tick := time.NewTicker(toBeRun)
	defer tick.Stop()
	for {
		select {
		case err := <-arrived:
			return err
		case now := <-tick.C:
			if err := p.nobodyRuns(all); err != nil {
				enough()
				<-arrived
				return err
			}
			late.tell(now, all)
		}
	}
}

// arrival returns when all have synced, ctx is done, or one never will.
func (p *program) arrival(ctx context.Context, all []informer.AnyInformer) error {
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
	look := time.NewTicker(unseen)
	defer look.Stop()
	for slices.ContainsFunc(all, notSynced) {
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func notSynced(inf informer.AnyInformer) bool { return !inf.State().Synced }

// nobodyRuns is the error of informers that will not sync.
func (p *program) nobodyRuns(all []informer.AnyInformer) error {
	var idle []error
	for _, inf := range all {
		if s := inf.State(); !s.Synced && !s.Running {
			idle = append(idle, fmt.Errorf("%w: %s, which %s for: give Run the factory that it comes from (RunOptions.Factory), or itself if informer.New has made it (RunOptions.Informers)",
				informer.ErrNotRunning, s.Name, p.whoWaits(inf)))
		}
	}
	return errors.Join(idle...)
}

// whoWaits names the controllers that watch an informer.
func (p *program) whoWaits(inf informer.AnyInformer) string {
	var names []string
	for _, c := range p.controllers {
		for _, watched := range c.Informers() {
			if informer.Same(watched, inf) {
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
