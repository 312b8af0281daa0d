package reflector

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// errSilent is the cause of a context that ended because nothing came.
var errSilent = errors.New("nothing has come")

// silence ends a context when for too long nothing has come that is waited for.
// It costs one timer, however often something comes. That looks now and then
// whether anything is waited for: time in which nothing is does not count, but
// for what lies between two looks.
type silence struct {
	// end ends the context. It is none of a user's functions.
	end context.CancelCauseFunc
	// limit is how long it may last, in nanoseconds.
	limit atomic.Int64
	// last is when something came, in nanoseconds since 1970. busy: nobody
	// waits for anything now.
	last atomic.Int64
	busy atomic.Bool
	// broken: it has lasted for too long.
	broken atomic.Bool

	// timer is nil where nothing is bounded.
	timer  *time.Timer
	closed atomic.Bool
	// running has one for a timer that is set or whose function runs.
	running sync.WaitGroup
}

// listen begins to wait: the context ends when nothing comes within limit. A
// limit that is negative bounds nothing.
func listen(ctx context.Context, limit time.Duration) (context.Context, *silence) {
	ctx, end := context.WithCancelCause(ctx)
	s := &silence{end: end}
	if limit >= 0 {
		s.last.Store(time.Now().UnixNano())
		s.limit.Store(int64(limit))
		s.running.Add(1)
		// It is set when look can find it, however short the limit is.
		s.timer = time.AfterFunc(math.MaxInt64, s.look)
		s.timer.Reset(glance(limit))
	}
	return ctx, s
}

// came: something has come, and nothing is waited for until await.
func (s *silence) came(at time.Time) {
	s.busy.Store(true)
	s.last.Store(at.UnixNano())
}

// await: the next thing is waited for.
func (s *silence) await() { s.busy.Store(false) }

// setLimit is another limit from now on; negative bounds nothing more.
func (s *silence) setLimit(limit time.Duration) {
	if s.timer == nil || limit < 0 {
		s.stop()
		return
	}
	s.limit.Store(int64(limit))
	if s.timer.Stop() {
		s.timer.Reset(glance(limit))
	}
}

// glance is how long it is from one look to the next.
func glance(limit time.Duration) time.Duration { return (limit + 9) / 10 }

// look is what the timer runs, on its own goroutine.
func (s *silence) look() {
	now, limit := time.Now().UnixNano(), s.limit.Load()
	if s.busy.Load() {
		s.last.Store(now)
	}
	rest := s.last.Load() + limit - now
	if rest <= 0 {
		s.broken.Store(true)
		s.end(errSilent)
		s.running.Done()
		return
	}
	s.timer.Reset(min(time.Duration(rest), glance(time.Duration(limit))))
	if s.closed.Load() && s.timer.Stop() {
		s.running.Done()
	}
}

// stop ends the watch over the silence, and waits until nothing of it runs.
func (s *silence) stop() {
	if s.timer == nil || s.closed.Swap(true) {
		return
	}
	if s.timer.Stop() {
		s.running.Done()
	}
	s.running.Wait()
}

// close ends the context as well.
func (s *silence) close() {
	s.stop()
	s.end(context.Canceled)
}
