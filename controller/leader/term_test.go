package leader

import (
	"context"
	"testing"
	"time"

	"github.com/thinformer/thinformer/controller"
)

// fakeClock has a monotonic and a wall clock that a test sets. It drives no timers.
type fakeClock struct{ now, wall time.Time }

func (c *fakeClock) term(t *testing.T, ctx context.Context) *term {
	c.now, c.wall = time.Now(), time.Now()
	return newTerm(ctx, 10*time.Second, c.now, c.wall, func() time.Time { return c.now }, func() time.Time { return c.wall })
}

// After a pause longer than the term the first check of the context reports the loss,
// although no timer has fired. A later extension has no effect.
func TestPauseIsDetectedWithoutATimer(t *testing.T) {
	for name, pause := range map[string]func(*fakeClock){
		"pause of the process": func(h *fakeClock) { h.now = h.now.Add(10 * time.Second) },
		"pause of the machine": func(h *fakeClock) { h.wall = h.wall.Add(10 * time.Second) },
		"clock set back":       func(h *fakeClock) { h.now, h.wall = h.now.Add(time.Minute), h.wall.Add(-time.Hour) },
	} {
		var h fakeClock
		term := h.term(t, t.Context())
		ctx := context.WithValue(termContext{term.acting, term}, fakeClock{}, "a value")
		if ctx.Err() != nil || controller.Leading(ctx).Err() != nil {
			t.Fatalf("%s: the term ended before the pause", name)
		}
		begun, begunWall := h.now, h.wall
		pause(&h)
		if ctx.Err() == nil || context.Cause(ctx) != controller.ErrNotLeading {
			t.Errorf("%s: Err is %v, the cause is %v", name, ctx.Err(), context.Cause(ctx))
		}
		select {
		case <-controller.Leading(ctx).Done():
		default:
			t.Errorf("%s: Leading has not ended", name)
		}
		term.extend(begun, begunWall)
		term.extend(h.now, h.wall)
		if !term.hasEnded() || ctx.Err() == nil {
			t.Errorf("%s: the term was extended after its end", name)
		}
	}
}

// A term is extended from the start of the last renewal.
func TestTermIsExtendedFromTheStartOfTheRenewal(t *testing.T) {
	var h fakeClock
	term := h.term(t, t.Context())
	for range 10 {
		h.now, h.wall = h.now.Add(8*time.Second), h.wall.Add(8*time.Second)
		if term.hasEnded() {
			t.Fatal("the term has ended")
		}
		term.extend(h.now.Add(-time.Second), h.wall.Add(-time.Second))
	}
	begun := h.now.Add(8 * time.Second)
	h.now = h.now.Add(9 * time.Second)
	if term.extend(begun, h.wall); !term.hasEnded() {
		t.Error("the term was extended from the end of the renewal, or after its end")
	}
}

// A term within another term ends with either of them.
func TestInnerTermEndsWithTheOuterTerm(t *testing.T) {
	var h fakeClock
	outer := h.term(t, t.Context())
	inner := h.term(t, termContext{outer.acting, outer})
	outer.end()
	if ctx := (termContext{inner.acting, inner}); ctx.Err() == nil || controller.Leading(ctx).Err() == nil {
		t.Error("the inner term has not ended")
	}
}
