package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// warmUp is how long who has not synced lets others be elected: it could not do
// anything yet. After that it stands all the same, as it may be that one of many
// informers waits for a resource that nobody has defined.
const warmUp = 30 * time.Second

// lead runs the controllers while this program leads, until ctx is done.
func (p *program) lead(ctx context.Context) {
	if p.options.Synced != nil && !p.awaitSync(ctx, nil) {
		return
	}
	if p.options.Leader == nil {
		_ = p.act(ctx) // told already
		return
	}
	late := time.NewTimer(warmUp)
	defer late.Stop()
	if !p.awaitSync(ctx, late.C) {
		return
	}
	p.enter(standby)
	p.elect(ctx)
}

// awaitSync reports whether ctx goes on when all is in sync, or it is late.
func (p *program) awaitSync(ctx context.Context, late <-chan time.Time) bool {
	select {
	case <-p.synced:
	case <-late:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// elect returns when the elector has, or without it when it takes too long.
func (p *program) elect(ctx context.Context) {
	working := make(chan struct{}, 1) // full while the controllers run
	ended := make(chan error, 1)
	go func() {
		ended <- p.options.Leader.Run(ctx, func(ctx context.Context) error {
			working <- struct{}{}
			defer func() { <-working }()
			defer p.enter(standby)
			return p.act(ctx)
		})
	}()
	select {
	case err := <-ended:
		p.electionEnded(ctx, err)
		return
	case <-ctx.Done():
	}
	working <- struct{}{}
	<-working
	p.within("the election, which has to give back the leadership", func() error {
		p.electionEnded(ctx, <-ended)
		return nil
	}, nil)
}

// electionEnded finds what act has not told already.
func (p *program) electionEnded(ctx context.Context, err error) {
	switch {
	case err == nil && ctx.Err() == nil && !p.hasFailed():
		p.fail(errors.New("controller: the election has ended by itself"))
	case err != nil && !errors.Is(err, errActed) && !(ctx.Err() != nil && errors.Is(err, ctx.Err())):
		p.fail(fmt.Errorf("controller: the election: %w%s", err, p.stillReconciling()))
	}
}

// stillReconciling names what the controllers have in work, when an election has
// ended without waiting for them.
func (p *program) stillReconciling() string {
	var named string
	for _, c := range p.controllers {
		for _, w := range c.State().Working {
			named += fmt.Sprintf("; controller %s is still in the reconcile of %s", c.name, w.Request)
		}
	}
	return named
}

// act runs the controllers until ctx is done, or one has failed and all have
// ended.
func (p *program) act(ctx context.Context) error {
	p.enter(acting)
	var all sync.WaitGroup
	var failed, left atomic.Bool
	for _, c := range p.controllers {
		all.Go(func() {
			err := c.Run(ctx)
			if err == nil {
				return
			}
			failed.Store(true)
			if errors.Is(err, ErrStillRunning) {
				left.Store(true)
			}
			if errors.Is(err, informer.ErrNotRunning) {
				err = cmp.Or(p.nobodyRuns(c.Informers()), err)
			}
			p.fail(err)
		})
	}
	if len(p.controllers) == 0 {
		<-ctx.Done()
	}
	all.Wait()
	switch {
	case left.Load():
		return fmt.Errorf("%w: %w", errActed, ErrStillRunning)
	case failed.Load():
		return errActed
	}
	return nil
}

// errActed is what an elector is told of an error that is the program's already.
var errActed = errors.New("controller: a controller has failed")
