package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// Add adds controllers: all of them, or none if there is an error. While the
// controllers of the program run, those that are added run at once, each as soon as its
// informers have synced. On a replica that does not lead they run when it leads. Once the
// program is ready, an informer that was added does not make /readyz fail, for example if
// its kind is not served yet; /readyz?verbose names it.
//
// The mistakes that Run reports before it starts anything are errors of Add:
// [ErrNoController], [ErrDuplicateName], those in the arguments of New, For and the
// like, and those of [informer.SharedInformer.Check]. Further errors: [ErrRunning] for a
// controller that runs already, [ErrStillRunning] if a removed controller with the same
// name has not ended, and [informer.ErrStopped] if the program was asked to stop, or if
// an informer has ended.
//
// While the program runs, [informer.ErrNotRunning] is the error for an informer that does
// not run and is in neither RunOptions.Factory nor RunOptions.Informers. Add waits a
// second for it to run, since its owner may just have called Run in another goroutine.
func (p *Program) Add(controllers ...*Controller) error {
	given := withoutNil(controllers)
	if err := validateInformers(informersOf(RunOptions{}, given)); err != nil {
		return err
	}
	if err := p.awaitInformers(given); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("controller: add controllers to a program that was asked to stop: %w", informer.ErrStopped)
	}
	if err := p.validateAdded(controllers); err != nil {
		return err
	}
	for _, c := range controllers {
		m := &member{c: c}
		p.members.all = append(p.members.all, m)
		if p.term != nil {
			p.start(m)
		}
	}
	return nil
}

// awaitInformers returns an error for informers that do not run and that the program
// does not run either. Before Run it returns nil: Run reports them, and gives their
// owners the time to run them.
func (p *Program) awaitInformers(controllers []*Controller) error {
	late := time.NewTimer(startDelay)
	defer late.Stop()
	tick := time.NewTicker(syncPollPeriod)
	defer tick.Stop()
	for {
		err, wait := p.idleInformers(controllers)
		if !wait {
			return err
		}
		select {
		case <-tick.C:
		case <-late.C:
			return err
		}
	}
}

// idleInformers returns an error for the informers of controllers that do not run. wait
// reports whether they may run soon.
func (p *Program) idleInformers(controllers []*Controller) (err error, wait bool) {
	p.mu.Lock()
	running := p.begun && !p.closed
	p.mu.Unlock()
	if !running {
		return nil, false
	}
	own := informersOf(p.options, nil)
	var idle, ended []error
	for _, c := range controllers {
		for _, inf := range c.Informers() {
			switch s := inf.State(); {
			case s.Stopped:
				ended = append(ended, fmt.Errorf("controller: add controller %s: informer %s: %w, and it cannot run again: create a new informer and a new controller", c.name, s.Name, informer.ErrStopped))
			case !s.Running && !s.Synced && !contains(own, inf):
				idle = append(idle, fmt.Errorf("controller: add controller %s: informer %s: %w: request it from RunOptions.Factory, start its factory, or call its Run before Add", c.name, s.Name, informer.ErrNotRunning))
			}
		}
	}
	return errors.Join(append(ended, idle...)...), ended == nil && idle != nil
}

func withoutNil(controllers []*Controller) (present []*Controller) {
	for _, c := range controllers {
		if c != nil {
			present = append(present, c)
		}
	}
	return present
}

// validateAdded needs mu.
func (p *Program) validateAdded(controllers []*Controller) error {
	p.dropEnded()
	var wrong []error
	for _, c := range withoutNil(controllers) {
		for _, m := range p.members.all {
			if m.removed && m.c.name == c.name {
				wrong = append(wrong, fmt.Errorf("%w: the removed controller %q, so that no other with this name can be added: call Remove to wait for it", ErrStillRunning, c.name))
			}
		}
		if !p.contains(c) && c.isRunning() {
			wrong = append(wrong, fmt.Errorf("%w: %s: another Program, or its Run, runs it: end that first", ErrRunning, c.name))
		}
	}
	if wrong != nil {
		return errors.Join(wrong...)
	}
	return validateControllers(controllers, p.controllersLocked())
}
