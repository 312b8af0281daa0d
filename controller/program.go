package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// phase is the current phase of a program.
type phase string

const (
	starting phase = "starting"
	syncing  phase = "waiting for informers"
	standby  phase = "standing by for leadership"
	acting   phase = "running its controllers"
	stopping phase = "stopping"
)

// programKey is the context key that marks controllers run by a Program. The value is a
// func() bool that reports whether the informers of the program have synced. It is not
// the Program, so that a program that only calls Controller.Run does not link it.
type programKey struct{}

// Program runs informers and controllers, as [Run] does, and lets controllers be added
// and removed meanwhile, for example one for each CustomResourceDefinition. All methods
// are safe for concurrent use, and may be called from a reconcile or a handler.
//
// The informers of a controller that is added have to run: request them from
// RunOptions.Factory with informer.For, which starts them, or run them yourself. The
// Program does not stop the informers of a controller that is removed: call their
// Release after Remove.
type Program struct {
	options RunOptions
	logger  *slog.Logger

	phase atomic.Value // of phase
	// synced is closed when all informers have synced and Synced has returned.
	synced chan struct{}

	// stop ends the context passed to run.
	stop context.CancelFunc

	// failure is closed with the first error.
	failure chan struct{}

	mu     sync.Mutex
	failed []error
	members
}

// NewProgram returns a program with these controllers. It does nothing until Run is
// called, which returns the errors in the arguments.
func NewProgram(o RunOptions, controllers ...*Controller) *Program {
	p := &Program{options: o, logger: o.Logger, synced: make(chan struct{}), failure: make(chan struct{})}
	orDefault(&p.options.StopTimeout, 5*time.Second)
	orDefault(&p.logger, slog.Default())
	p.phase.Store(starting)
	for _, c := range controllers {
		p.members.all = append(p.members.all, &member{c: c})
	}
	return p
}

// begin validates the program when Run is called.
func (p *Program) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun {
		return fmt.Errorf("%w: a Program runs once: create a new Program, factory and informers", ErrRunning)
	}
	controllers := p.controllersLocked()
	err := errors.Join(p.options.validate(), validateControllers(controllers, nil))
	if err == nil {
		err = validateInformers(informersOf(p.options, controllers))
	}
	p.begun = err == nil
	return err
}

// validate returns all errors in the options.
func (o RunOptions) validate() error {
	var wrong []error
	for name, d := range map[string]time.Duration{"StopDelay": o.StopDelay, "SyncTimeout": o.SyncTimeout, "StopTimeout": o.StopTimeout} {
		if d < 0 {
			wrong = append(wrong, fmt.Errorf("%w: RunOptions.%s is %v, which is negative", ErrOptions, name, d))
		}
	}
	for i, inf := range o.Informers {
		if nilcheck.IsNilPointer(inf) {
			wrong = append(wrong, fmt.Errorf("%w: RunOptions.Informers[%d] is nil", ErrNoInformer, i))
		}
	}
	if nilcheck.IsNilPointer(o.Serve) && o.Serve != nil {
		wrong = append(wrong, fmt.Errorf("%w: RunOptions.Serve is a nil %T", ErrOptions, o.Serve))
	}
	if nilcheck.IsNilPointer(o.Leader) && o.Leader != nil {
		wrong = append(wrong, fmt.Errorf("%w: RunOptions.Leader is a nil %T", ErrOptions, o.Leader))
	}
	return errors.Join(wrong...)
}

// validateControllers returns all errors of controllers that are to run together, beside
// others, which are valid.
func validateControllers(controllers, others []*Controller) error {
	var wrong []error
	names := map[string]*Controller{}
	for _, c := range withoutNil(others) {
		names[c.name] = c
	}
	for i, c := range controllers {
		switch {
		case c == nil:
			wrong = append(wrong, fmt.Errorf("%w: number %d of %d", ErrNoController, i+1, len(controllers)))
			continue
		case names[c.name] == c:
			given := "is given twice"
			if slices.Contains(others, c) {
				given = "has been added already"
			}
			wrong = append(wrong, fmt.Errorf("%w: %q %s", ErrDuplicateName, c.name, given))
		case names[c.name] != nil:
			wrong = append(wrong, fmt.Errorf("%w: %q: use a different name for each controller", ErrDuplicateName, c.name))
		}
		names[c.name] = c
		wrong = append(wrong, c.validate())
	}
	return errors.Join(wrong...)
}

// validateInformers returns the errors of informers that waiting does not fix.
// Informers that already run are skipped.
func validateInformers(informers []informer.AnyInformer) error {
	var wrong []error
	for _, inf := range informers {
		checked, ok := inf.(Checker)
		if !ok || inf.State().Running {
			continue
		}
		if err := checked.Check(); err != nil {
			wrong = append(wrong, fmt.Errorf("controller: %w", err))
		}
	}
	return errors.Join(wrong...)
}

// validate returns the errors in the arguments of New, For and the like.
func (c *Controller) validate() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.validateLocked()
}

// run starts everything in order and stops it in reverse order.
func (p *Program) run(ctx context.Context) error {
	ctx, p.stop = context.WithCancel(ctx)
	defer p.closeMembers()
	defer p.stop()
	ignoreSignals := p.handleSignals()
	defer ignoreSignals()
	closeServer, err := p.serve()
	if err != nil {
		return err
	}
	// The controllers outlive ctx, and the informers outlive the controllers.
	lasting := context.WithoutCancel(ctx)
	work, endWork := context.WithCancel(context.WithValue(lasting, programKey{}, p.hasSynced))
	feed, endFeed := context.WithCancel(lasting)
	defer endWork()
	defer endFeed()

	var watching sync.WaitGroup
	watching.Go(func() { p.forwardStop(ctx, endWork) })
	var informers sync.WaitGroup
	if p.startInformers(feed, &informers) {
		watching.Go(func() { p.sync(ctx) })
		p.runWhenLeading(work)
	}
	p.stop()
	p.waitBounded("Synced", func() error { watching.Wait(); return nil }, nil)
	endFeed()
	p.stopInformers(&informers)
	closeServer()
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.failed...)
}

// forwardStop cancels the controllers after the program is asked to stop, delayed by
// StopDelay.
func (p *Program) forwardStop(ctx context.Context, endWork context.CancelFunc) {
	defer endWork()
	<-ctx.Done()
	p.phase.Store(stopping)
	p.closeMembers()
	delay := time.NewTimer(p.options.StopDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-p.failure: // a failed program does not wait for StopDelay
	}
}

// fail records an error and stops the program. The same text is recorded once.
func (p *Program) fail(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	if p.failed == nil {
		close(p.failure)
	}
	if !slices.ContainsFunc(p.failed, func(other error) bool { return other.Error() == err.Error() }) {
		p.failed = append(p.failed, err)
	}
	p.mu.Unlock()
	p.stop()
}

func (p *Program) hasFailed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.failed) > 0
}

// hint says what a program in this phase waits for, "" if its controllers run.
func (p phase) hint() string {
	switch p {
	case starting, syncing:
		return "The controllers start when all informers have their first list and RunOptions.Synced has returned."
	case standby:
		return "Another replica leads, or the Lease cannot be acquired: see the line of the election."
	case stopping:
		return "It waits for its workers, at most for RunOptions.StopTimeout."
	}
	return ""
}

// setPhase changes the phase. It does not leave the phase stopping.
func (p *Program) setPhase(next phase) {
	for {
		now := p.phase.Load()
		if now == stopping || p.phase.CompareAndSwap(now, next) {
			return
		}
	}
}

// startInformers reports whether all informers have been started.
func (p *Program) startInformers(ctx context.Context, running *sync.WaitGroup) bool {
	p.setPhase(syncing)
	if p.options.Factory != nil {
		err := p.options.Factory.Start(ctx)
		if errors.Is(err, informer.ErrStopped) {
			err = fmt.Errorf("%w: a factory cannot be started again after Shutdown, which Run calls at its end: create a new factory and new informers", err)
		}
		if err != nil {
			p.fail(fmt.Errorf("controller: start the factory: %w", err))
			return false
		}
	}
	for _, inf := range p.options.Informers {
		running.Go(func() {
			switch err := inf.Run(ctx); {
			case errors.Is(err, informer.ErrRunByFactory):
				p.fail(fmt.Errorf("controller: run the informer %s: %w: pass the factory as RunOptions.Factory instead of the informer", inf.State().Name, err))
			case err != nil:
				p.fail(fmt.Errorf("controller: run the informer %s: %w", inf.State().Name, err))
			case ctx.Err() == nil:
				p.fail(fmt.Errorf("controller: the informer %s ended before the program was asked to stop", inf.State().Name))
			}
		})
	}
	return true
}

// stopInformers waits for the informers after their context has ended.
func (p *Program) stopInformers(running *sync.WaitGroup) {
	p.waitBounded("the informers", func() error {
		running.Wait()
		if p.options.Factory == nil {
			return nil
		}
		return p.options.Factory.Shutdown()
	}, p.busyHandlers)
}

// busyHandlers describes the handlers that are still in a callback.
func (p *Program) busyHandlers() string {
	var busy []string
	for _, inf := range p.informers() {
		s := inf.State()
		for _, h := range s.Handlers {
			if !h.Since.IsZero() {
				busy = append(busy, fmt.Sprintf("handler %s of %s has been in a callback for %v", h.Name, s.Name, time.Since(h.Since).Round(time.Millisecond)))
			}
		}
	}
	return strings.Join(busy, "; ")
}

// waitBounded waits for StopTimeout at most. details, if not nil, describes what is
// still running.
func (p *Program) waitBounded(name string, wait func() error, details func() string) {
	done := make(chan error, 1)
	go func() { done <- wait() }()
	late := time.NewTimer(p.options.StopTimeout)
	defer late.Stop()
	select {
	case err := <-done:
		p.fail(err)
	case <-late.C:
		err := fmt.Errorf("%w: %s, %v after the stop was requested", ErrStillRunning, name, p.options.StopTimeout)
		if details != nil {
			err = fmt.Errorf("%w: %s", err, details())
		}
		p.fail(err)
	}
}
