package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// phase is what a program does.
type phase string

const (
	starting phase = "starting"
	syncing  phase = "waiting for informers"
	standby  phase = "standing by for leadership"
	acting   phase = "running its controllers"
	stopping phase = "stopping"
)

// programKey is what the context of controllers has that Run runs.
type programKey struct{}

// program is one Run.
type program struct {
	options     RunOptions
	logger      *slog.Logger
	controllers []*Controller

	phase atomic.Value // of phase
	// synced is closed when all informers have synced and Synced has returned.
	synced chan struct{}

	// halt ends the context that says whether the program is to stop: somebody
	// has failed, and stop will say who.
	halt context.CancelFunc

	// broken is closed with the first error.
	broken chan struct{}

	mu     sync.Mutex
	failed []error
}

func newProgram(o RunOptions, controllers []*Controller) (*program, error) {
	if err := wrongWith(o, controllers); err != nil {
		return nil, err
	}
	orDefault(&o.StopTimeout, 5*time.Second)
	orDefault(&o.Logger, slog.Default())
	p := &program{options: o, logger: o.Logger, controllers: controllers, synced: make(chan struct{}), broken: make(chan struct{})}
	p.phase.Store(starting)
	return p, nil
}

// wrongWith is all that is wrong with what Run was given.
func wrongWith(o RunOptions, controllers []*Controller) error {
	var wrong []error
	for name, d := range map[string]time.Duration{"StopDelay": o.StopDelay, "StopTimeout": o.StopTimeout} {
		if d < 0 {
			wrong = append(wrong, fmt.Errorf("%w: RunOptions.%s is %v, which is negative", ErrOptions, name, d))
		}
	}
	for i, inf := range o.Informers {
		if isNil(inf) {
			wrong = append(wrong, fmt.Errorf("%w: RunOptions.Informers[%d] is nil", ErrNoInformer, i))
		}
	}
	if isNil(o.Serve) && o.Serve != nil {
		wrong = append(wrong, fmt.Errorf("%w: RunOptions.Serve is a nil %T", ErrOptions, o.Serve))
	}
	if isNil(o.Leader) && o.Leader != nil {
		wrong = append(wrong, fmt.Errorf("%w: RunOptions.Leader is a nil %T", ErrOptions, o.Leader))
	}
	if len(controllers) == 0 && o.Factory == nil && len(o.Informers) == 0 {
		wrong = append(wrong, ErrNothingToRun)
	}
	names := map[string]*Controller{}
	for i, c := range controllers {
		switch {
		case c == nil:
			wrong = append(wrong, fmt.Errorf("%w: it is number %d of %d", ErrNoController, i+1, len(controllers)))
			continue
		case names[c.name] == c:
			wrong = append(wrong, fmt.Errorf("%w: %q is given twice", ErrSameName, c.name))
		case names[c.name] != nil:
			wrong = append(wrong, fmt.Errorf("%w: %q, which logs and states could not tell apart", ErrSameName, c.name))
		}
		names[c.name] = c
		wrong = append(wrong, c.mistakes())
	}
	return errors.Join(wrong...)
}

// isNil is whether v is nil, or a nil pointer or function in an interface.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return !value.IsValid() || (value.Kind() == reflect.Pointer || value.Kind() == reflect.Func) && value.IsNil()
}

// mistakes are what was wrong with the arguments of New, For and the like.
func (c *Controller) mistakes() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrong) == 0 && len(c.watches) == 0 {
		return fmt.Errorf("%w: %s", ErrNothingWatched, c.name)
	}
	return errors.Join(c.wrong...)
}

// run is the order of things: what starts first ends last.
func (p *program) run(ctx context.Context) error {
	ctx, p.halt = context.WithCancel(ctx)
	defer p.halt()
	ignoreSignals := p.obeySignals()
	defer ignoreSignals()
	closeServer, err := p.serve()
	if err != nil {
		return err
	}
	// The controllers end later than ctx, and the informers after them.
	lasting := context.WithoutCancel(ctx)
	work, endWork := context.WithCancel(context.WithValue(lasting, programKey{}, p))
	feed, endFeed := context.WithCancel(lasting)
	defer endWork()
	defer endFeed()

	var watching sync.WaitGroup
	watching.Go(func() { p.passOn(ctx, endWork) })
	var informers sync.WaitGroup
	if p.startInformers(feed, &informers) {
		watching.Go(func() { p.sync(ctx) })
		p.lead(work)
	}
	p.halt()
	p.within("Synced", func() error { watching.Wait(); return nil }, nil)
	endFeed()
	p.stopInformers(&informers)
	closeServer()
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.failed...)
}

// passOn ends the work when the program is told to stop, and a while later if
// others have to hear of it first.
func (p *program) passOn(ctx context.Context, endWork context.CancelFunc) {
	defer endWork()
	<-ctx.Done()
	p.phase.Store(stopping)
	delay := time.NewTimer(p.options.StopDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-p.broken: // it does not do its work any more
	}
}

// fail ends the program with an error, if there is one. What two have found is
// told once.
func (p *program) fail(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	if p.failed == nil {
		close(p.broken)
	}
	if !slices.ContainsFunc(p.failed, func(other error) bool { return other.Error() == err.Error() }) {
		p.failed = append(p.failed, err)
	}
	p.mu.Unlock()
	p.halt()
}

func (p *program) hasFailed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.failed) > 0
}

// enter changes the phase; stopping is for good.
func (p *program) enter(next phase) {
	for {
		now := p.phase.Load()
		if now == stopping || p.phase.CompareAndSwap(now, next) {
			return
		}
	}
}

// startInformers reports whether all have been started.
func (p *program) startInformers(ctx context.Context, running *sync.WaitGroup) bool {
	p.enter(syncing)
	if p.options.Factory != nil {
		err := p.options.Factory.Start(ctx)
		if errors.Is(err, informer.ErrStopped) {
			err = fmt.Errorf("%w: a factory that was shut down, as Run does at its end, does not start again: make a new one, and new informers", err)
		}
		if err != nil {
			p.fail(fmt.Errorf("controller: start the factory: %w", err))
			return false
		}
	}
	for _, inf := range p.options.Informers {
		running.Go(func() {
			switch err := inf.Run(ctx); {
			case errors.Is(err, informer.ErrFactoryRuns):
				p.fail(fmt.Errorf("controller: run the informer %s: %w: give the factory to Run, as RunOptions.Factory, and not the informer", inf.State().Name, err))
			case err != nil:
				p.fail(fmt.Errorf("controller: run the informer %s: %w", inf.State().Name, err))
			case ctx.Err() == nil:
				p.fail(fmt.Errorf("controller: the informer %s has ended by itself", inf.State().Name))
			}
		})
	}
	return true
}

// stopInformers waits for informers whose context has ended.
func (p *program) stopInformers(running *sync.WaitGroup) {
	p.within("the informers", func() error {
		running.Wait()
		if p.options.Factory == nil {
			return nil
		}
		return p.options.Factory.Shutdown()
	}, p.busyHandlers)
}

// busyHandlers names the handlers that an informer waits for.
func (p *program) busyHandlers() string {
	var busy []string
	for _, inf := range p.informers() {
		s := inf.State()
		for _, h := range s.Handlers {
			if !h.Since.IsZero() {
				busy = append(busy, fmt.Sprintf("handler %s of %s, in a callback for %v", h.Name, s.Name, time.Since(h.Since).Round(time.Millisecond)))
			}
		}
	}
	return strings.Join(busy, "; ")
}

// within waits for something at the end, for StopTimeout at most; whose, if
// there is one, says then who is still at it.
func (p *program) within(what string, wait func() error, whose func() string) {
	done := make(chan error, 1)
	go func() { done <- wait() }()
	late := time.NewTimer(p.options.StopTimeout)
	defer late.Stop()
	select {
	case err := <-done:
		p.fail(err)
	case <-late.C:
		err := fmt.Errorf("%w: %s, %v after being told to stop", ErrStillRunning, what, p.options.StopTimeout)
		if whose != nil {
			err = fmt.Errorf("%w: %s", err, whose())
		}
		p.fail(err)
	}
}
