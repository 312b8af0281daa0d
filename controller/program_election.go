package controller

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Elector decides which of several processes is the leader. If it implements
// [fmt.Stringer], the debug page shows the string.
type Elector interface {
	// Run calls lead whenever this process becomes the leader, until ctx is done or
	// lead has returned by itself. The context of lead ends when ctx is done or when
	// the process no longer leads; in the latter case the cause is [ErrNotLeading].
	// [Leading] of that context ends only in the latter case. The leadership is kept
	// until lead has returned. It is not released if lead returns [ErrStillRunning],
	// because something that lead started is still running.
	Run(ctx context.Context, lead func(ctx context.Context) error) error
	// Check returns an error if the election does not work. Health endpoints call it.
	Check() error
}

// ErrNotLeading is the [context.Cause] of the context passed to lead by [Elector.Run]
// when the process no longer leads.
var ErrNotLeading = errors.New("controller: this process is no longer the leader")

type leadingKey struct{}

// WithLeading returns a copy of ctx for which [Leading] returns leading. Electors use
// it to create the context of lead.
func WithLeading(ctx, leading context.Context) context.Context {
	return context.WithValue(ctx, leadingKey{}, leading)
}

// Leading returns the context of the leadership that ctx was derived from. Unlike ctx
// it does not end when the program is asked to stop, but only when the process no
// longer leads. Work in progress may be finished until then. Without an election it
// never ends.
func Leading(ctx context.Context) context.Context {
	if leading, ok := ctx.Value(leadingKey{}).(context.Context); ok {
		return leading
	}
	return context.WithoutCancel(ctx)
}

// electionDelay is how long a replica that has not synced lets others be elected,
// since it could not do anything yet. After that it takes part all the same: one of
// many informers may wait for a resource that is not defined.
const electionDelay = 30 * time.Second

// runWhenLeading runs the controllers while this program leads, until ctx is done.
func (p *Program) runWhenLeading(ctx context.Context) {
	if p.options.Synced != nil && !p.awaitSync(ctx, nil) {
		return
	}
	if p.options.Leader == nil {
		_ = p.runControllers(ctx) // the error is recorded already
		return
	}
	late := time.NewTimer(electionDelay)
	defer late.Stop()
	if !p.awaitSync(ctx, late.C) {
		return
	}
	p.setPhase(standby)
	p.elect(ctx)
}

// awaitSync waits for the informers to sync, or for late. It reports whether ctx is
// still active.
func (p *Program) awaitSync(ctx context.Context, late <-chan time.Time) bool {
	select {
	case <-p.synced:
	case <-late:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// elect returns when the elector has ended, or after StopTimeout if it takes too long
// to end.
func (p *Program) elect(ctx context.Context) {
	working := make(chan struct{}, 1) // has an element while the controllers run
	ended := make(chan error, 1)
	go func() {
		ended <- p.options.Leader.Run(ctx, func(ctx context.Context) error {
			working <- struct{}{}
			defer func() { <-working }()
			defer p.setPhase(standby)
			return p.runControllers(ctx)
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
	p.waitBounded("the election, which releases the leadership", func() error {
		p.electionEnded(ctx, <-ended)
		return nil
	}, nil)
}

// electionEnded records errors that runControllers has not recorded.
func (p *Program) electionEnded(ctx context.Context, err error) {
	switch {
	case err == nil && ctx.Err() == nil && !p.hasFailed():
		p.fail(errors.New("controller: RunOptions.Leader: its Run returned before the program was asked to stop"))
	case err != nil && !errors.Is(err, errReported) && !(ctx.Err() != nil && errors.Is(err, ctx.Err())):
		p.fail(fmt.Errorf("controller: election: %w%s", err, p.stillReconciling()))
	}
}

// stillReconciling lists the reconciles in progress after an election has ended
// without waiting for them.
func (p *Program) stillReconciling() string {
	var named string
	for _, c := range p.controllers() {
		for _, w := range c.State().Working {
			named += fmt.Sprintf("; controller %s is still reconciling %s", c.name, w.Request)
		}
	}
	return named
}

// runControllers runs the controllers until ctx is done, or until one has failed and
// all have ended.
func (p *Program) runControllers(ctx context.Context) error {
	p.setPhase(acting)
	t := p.beginTerm(ctx)
	<-ctx.Done() // also after a failure
	p.endTerm()
	t.running.Wait()
	switch {
	case p.failLingering():
		return fmt.Errorf("%w: %w", errReported, ErrStillRunning)
	case t.failed.Load():
		return errReported
	}
	return nil
}

// errReported is returned to an elector for an error that the program has already
// recorded.
var errReported = errors.New("controller: a controller failed")
