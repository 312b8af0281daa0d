package leader

import (
	"context"
	"sync"
	"time"

	"github.com/thinformer/thinformer/controller"
)

// term is a period in which this process leads. Its end is determined by the clock
// whenever it is checked, without relying on a timer.
type term struct {
	duration  time.Duration
	now       func() time.Time
	wallClock func() time.Time

	mu sync.Mutex
	// renewed is when the last renewal was begun. renewedWall is the same by the wall
	// clock, which advances while a machine is suspended and may be set.
	renewed, renewedWall time.Time
	ended                bool

	// leading ends with the term. acting also ends when the program is asked to stop.
	leading, acting       context.Context
	endLeading, endActing context.CancelCauseFunc
}

// newTerm returns a new term that ends duration after its last renewal. Its contexts
// are derived from ctx.
func newTerm(ctx context.Context, duration time.Duration, renewed, renewedWall time.Time, now, wallClock func() time.Time) *term {
	t := &term{duration: duration, now: now, wallClock: wallClock, renewed: renewed, renewedWall: renewedWall}
	t.leading, t.endLeading = context.WithCancelCause(controller.Leading(ctx))
	t.acting, t.endActing = context.WithCancelCause(controller.WithLeading(ctx, termContext{t.leading, t}))
	return t
}

// termContext is a context whose Err checks the clock first.
type termContext struct {
	context.Context
	term *term
}

// Err returns a non-nil error once the term has ended.
func (c termContext) Err() error {
	c.term.hasEnded()
	return c.Context.Err()
}

// hasEnded reports whether the term has ended. An ended term stays ended.
func (t *term) hasEnded() bool {
	t.mu.Lock()
	t.ended = t.ended || t.elapsed() >= t.duration
	ended := t.ended
	t.mu.Unlock()
	if ended {
		t.end()
	}
	return ended
}

// elapsed returns the time since the last renewal was begun, by the clock that
// advanced more. mu is held.
func (t *term) elapsed() time.Duration {
	return max(t.now().Sub(t.renewed), t.wallClock().Round(0).Sub(t.renewedWall.Round(0)))
}

// end ends the term now.
func (t *term) end() {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	// leading ends first, so that acting never ends without a visible reason.
	t.endLeading(controller.ErrNotLeading)
	t.endActing(controller.ErrNotLeading)
}

// extend records an accepted renewal. It has no effect if the term ended before the
// response to the renewal.
func (t *term) extend(renewed, renewedWall time.Time) {
	if t.hasEnded() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.renewed, t.renewedWall = renewed, renewedWall
	}
}

// sinceRenewal returns the time since the last renewal was begun.
func (t *term) sinceRenewal() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.elapsed()
}

// remaining returns the remaining time of the term by the monotonic clock.
func (t *term) remaining() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.duration - t.now().Sub(t.renewed)
}
