package leader

import (
	"context"
	"sync"
	"time"

	"github.com/thinformer/thinformer/controller"
)

// term is the time in which this process leads. It ends by the clock, at the
// moment at which somebody asks: no timer has to have run before.
type term struct {
	lasts time.Duration
	now   func() time.Time
	wall  func() time.Time

	mu sync.Mutex
	// renewed is when the last renewal was begun; renewedWall is the same by the
	// wall clock, which goes on while a machine is suspended, and may be set.
	renewed, renewedWall time.Time
	over                 bool

	// leading ends with the term, acting also when the program is told to stop.
	leading, acting       context.Context
	endLeading, endActing context.CancelCauseFunc
}

// newTerm begins a term for lead, within ctx.
func newTerm(ctx context.Context, lasts time.Duration, renewed, renewedWall time.Time, now, wall func() time.Time) *term {
	t := &term{lasts: lasts, now: now, wall: wall, renewed: renewed, renewedWall: renewedWall}
	t.leading, t.endLeading = context.WithCancelCause(controller.Leading(ctx))
	t.acting, t.endActing = context.WithCancelCause(controller.WithLeading(ctx, termContext{t.leading, t}))
	return t
}

// termContext is a context whose Err has asked the clock.
type termContext struct {
	context.Context
	term *term
}

// Err is not nil once the term is over.
func (c termContext) Err() error {
	c.term.isOver()
	return c.Context.Err()
}

// isOver is whether this process no longer leads. It never comes back.
func (t *term) isOver() bool {
	t.mu.Lock()
	t.over = t.over || t.elapsed() >= t.lasts
	over := t.over
	t.mu.Unlock()
	if over {
		t.end()
	}
	return over
}

// elapsed is how long ago the last renewal was begun, by the clock that says
// more. mu is held.
func (t *term) elapsed() time.Duration {
	return max(t.now().Sub(t.renewed), t.wall().Round(0).Sub(t.renewedWall.Round(0)))
}

// end ends the term now.
func (t *term) end() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	// The outer one first: who sees the other end must see why.
	t.endLeading(controller.ErrNotLeading)
	t.endActing(controller.ErrNotLeading)
}

// extend is told of a renewal that was accepted. It is too late for one that was
// begun before the term was over, and answered after.
func (t *term) extend(renewed, renewedWall time.Time) {
	if t.isOver() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.renewed, t.renewedWall = renewed, renewedWall
	}
}

// since is how long ago the last renewal was begun.
func (t *term) since() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.elapsed()
}

// left is how long the term lasts by the own clock.
func (t *term) left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lasts - t.now().Sub(t.renewed)
}
