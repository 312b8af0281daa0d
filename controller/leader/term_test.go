package leader

import (
	"context"
	"testing"
	"time"

	"github.com/thinformer/thinformer/controller"
)

// hands are clocks that a test sets. No timer runs by them.
type hands struct{ now, wall time.Time }

func (h *hands) term(t *testing.T, ctx context.Context) *term {
	h.now, h.wall = time.Now(), time.Now()
	return newTerm(ctx, 10*time.Second, h.now, h.wall, func() time.Time { return h.now }, func() time.Time { return h.wall })
}

// After a pause the context tells of the loss to whoever asks first, although no
// timer has run; and what comes later does not bring it back.
func TestAPauseIsNoticedWithoutATimer(t *testing.T) {
	for name, pause := range map[string]func(*hands){
		"of the process":       func(h *hands) { h.now = h.now.Add(10 * time.Second) },
		"of the machine":       func(h *hands) { h.wall = h.wall.Add(10 * time.Second) },
		"and a clock set back": func(h *hands) { h.now, h.wall = h.now.Add(time.Minute), h.wall.Add(-time.Hour) },
	} {
		var h hands
		term := h.term(t, t.Context())
		ctx := context.WithValue(termContext{term.acting, term}, hands{}, "a value of the user's")
		if ctx.Err() != nil || controller.Leading(ctx).Err() != nil {
			t.Fatalf("%s: it ends before", name)
		}
		begun, begunWall := h.now, h.wall
		pause(&h)
		if ctx.Err() == nil || context.Cause(ctx) != controller.ErrNotLeading {
			t.Errorf("%s: Err is %v, because of %v", name, ctx.Err(), context.Cause(ctx))
		}
		select {
		case <-controller.Leading(ctx).Done():
		default:
			t.Errorf("%s: leading goes on", name)
		}
		term.extend(begun, begunWall)
		term.extend(h.now, h.wall)
		if !term.isOver() || ctx.Err() == nil {
			t.Errorf("%s: it is back", name)
		}
	}
}

// A term lasts from when the last renewal was begun.
func TestATermIsExtended(t *testing.T) {
	var h hands
	term := h.term(t, t.Context())
	for range 10 {
		h.now, h.wall = h.now.Add(8*time.Second), h.wall.Add(8*time.Second)
		if term.isOver() {
			t.Fatal("it is over")
		}
		term.extend(h.now.Add(-time.Second), h.wall.Add(-time.Second))
	}
	begun := h.now.Add(8 * time.Second)
	h.now = h.now.Add(9 * time.Second)
	if term.extend(begun, h.wall); !term.isOver() {
		t.Error("it lasts from when the renewal was answered, or is extended when it is over")
	}
}

// Who is elected within another election leads as long as both last.
func TestATermEndsWithTheOneAroundIt(t *testing.T) {
	var h hands
	outer := h.term(t, t.Context())
	inner := h.term(t, termContext{outer.acting, outer})
	outer.end()
	if ctx := (termContext{inner.acting, inner}); ctx.Err() == nil || controller.Leading(ctx).Err() == nil {
		t.Error("the inner one goes on")
	}
}
