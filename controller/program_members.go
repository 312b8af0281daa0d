package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/informer"
)

// members are the controllers of a Program. Program.mu guards them.
type members struct {
	all []*member
	// term is the current term, nil while no controllers run.
	term *term
	// begun: Run was called. closed: no more controllers can be added.
	begun, closed bool
}

// member is a controller of a Program.
type member struct {
	c *Controller
	// removed: Remove was called. The member leaves the list when its controller has
	// ended.
	removed bool
	// stop ends its run. ended is closed when Run has returned, with err as its result.
	// Both are nil before the first run.
	stop  context.CancelFunc
	ended chan struct{}
	err   error
}

// isRunning reports whether Run of the controller was called and has not returned.
func (m *member) isRunning() bool {
	if m.ended == nil {
		return false
	}
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// term is the time during which the controllers run: until the program stops, or
// until it no longer leads.
type term struct {
	ctx     context.Context
	running sync.WaitGroup
	failed  atomic.Bool
}

// contains needs mu.
func (p *Program) contains(c *Controller) bool {
	return slices.ContainsFunc(p.members.all, func(m *member) bool { return m.c == c })
}

// Remove ends controllers and removes them. It returns when each has ended as at the end
// of Run: within its StopTimeout and CancelTimeout, or when ctx is done. In a reconcile
// of a controller that it removes, with the ctx of that reconcile, it does not wait for
// this controller, which would wait for the reconcile. Its predicates and mappings must
// not call Remove, for the same reason. Reconciles of two controllers that remove each
// other wait for each other until StopTimeout ends their ctx. A controller that the program
// does not have counts as removed.
//
// Informers are not stopped: call their Release when Remove has returned. The controller
// can be added again when it has ended.
//
// Possible errors: [ErrNoContext]; [ErrNoController], after which nothing is removed;
// [ErrStillRunning] with the error of ctx if it ends first; *StopError and other errors of [Controller.Run]. A
// controller whose functions have not returned stays on the debug page until they have,
// and no controller with its name can be added. Run then returns the *StopError as
// well, unless they return before the program stops or no longer leads.
func (p *Program) Remove(ctx context.Context, controllers ...*Controller) error {
	if ctx == nil {
		return ErrNoContext
	}
	if i := slices.Index(controllers, nil); i >= 0 {
		return fmt.Errorf("%w: number %d of %d passed to Remove", ErrNoController, i+1, len(controllers))
	}
	var failed []error
	for _, m := range p.beginRemoval(controllers) {
		if caller, ok := ctx.Value(loggerKey{}).(*reconcileContext); ok && caller.run.c == m.c {
			continue
		}
		select {
		case <-m.ended:
			failed = append(failed, m.err)
		case <-ctx.Done():
			failed = append(failed, fmt.Errorf("%w: controller %s, which was removed: %w: it still ends; call Remove again to wait for it", ErrStillRunning, m.c.name, context.Cause(ctx)))
		}
	}
	return errors.Join(failed...)
}

// beginRemoval ends the controllers, and returns those that were started.
func (p *Program) beginRemoval(controllers []*Controller) (started []*member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropEnded()
	for _, m := range p.members.all {
		if !slices.Contains(controllers, m.c) {
			continue
		}
		m.removed = true
		if m.ended != nil {
			m.stop()
			started = append(started, m)
		}
	}
	p.dropEnded()
	return started
}

// dropEnded drops the removed controllers that have ended. It needs mu.
func (p *Program) dropEnded() {
	p.members.all = slices.DeleteFunc(p.members.all, func(m *member) bool {
		return m.removed && !m.isRunning() && m.c.hasEnded()
	})
}

// controllers returns the controllers at this moment, with those that were removed and
// have not ended.
func (p *Program) controllers() []*Controller {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropEnded()
	return p.controllersLocked()
}

// remaining returns the controllers at this moment, without those that were removed.
func (p *Program) remaining() (controllers []*Controller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members.all {
		if !m.removed {
			controllers = append(controllers, m.c)
		}
	}
	return controllers
}

func (p *Program) controllersLocked() []*Controller {
	all := make([]*Controller, len(p.members.all))
	for i, m := range p.members.all {
		all[i] = m.c
	}
	return all
}

// beginTerm starts all controllers, and makes Add start others.
func (p *Program) beginTerm(ctx context.Context) *term {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.term = &term{ctx: ctx}
	for _, m := range p.members.all {
		if !m.removed {
			p.start(m)
		}
	}
	return p.term
}

// endTerm makes Add start no more controllers.
func (p *Program) endTerm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.term = nil
}

// closeMembers makes Add return an error.
func (p *Program) closeMembers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

// start runs a controller until the term or its membership ends. It needs mu.
func (p *Program) start(m *member) {
	t := p.term
	var ctx context.Context
	ctx, m.stop = context.WithCancel(t.ctx)
	m.ended = make(chan struct{})
	t.running.Go(func() {
		err := m.c.Run(ctx)
		p.memberEnded(t, m, err)
	})
}

// memberEnded records the end of a controller. Its error ends the program, unless the
// controller was removed: then it is the error of Remove.
func (p *Program) memberEnded(t *term, m *member, err error) {
	if errors.Is(err, informer.ErrNotRunning) {
		err = cmp.Or(p.notRunningError(m.c.Informers()), err)
	}
	p.mu.Lock()
	removed := m.removed
	m.err = err
	m.stop()
	close(m.ended)
	p.dropEnded()
	p.mu.Unlock()
	switch {
	case err == nil:
	case removed:
		p.logger.Error("A removed controller ended with an error", "controller", m.c.name, "err", err)
	default:
		t.failed.Store(true)
		p.fail(err)
	}
}

// failLingering reports whether functions of a controller have not returned although its
// run has ended. It records the errors of those that were removed, which are not recorded
// while the others run.
func (p *Program) failLingering() (lingering bool) {
	p.mu.Lock()
	p.dropEnded()
	var late []error
	for _, m := range p.members.all {
		if errors.Is(m.err, ErrStillRunning) && !m.c.hasEnded() {
			late = append(late, m.err)
		}
	}
	p.mu.Unlock()
	for _, err := range late {
		p.fail(err)
	}
	return late != nil
}
