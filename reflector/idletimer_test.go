package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The context ends when no event is received for the limit.
func TestContextEndsAfterTheIdleTimeout(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(s *idleTimer)
		after time.Duration
	}{
		"no event":  {func(*idleTimer) {}, time.Minute},
		"one event": {func(s *idleTimer) { time.Sleep(50 * time.Second); s.received(time.Now()); s.awaitNext() }, 110 * time.Second},
		"many events": {func(s *idleTimer) {
			for range 100 {
				time.Sleep(50 * time.Second)
				s.received(time.Now())
				s.awaitNext()
			}
		}, 5060 * time.Second},
		"slow handler": {func(s *idleTimer) { s.received(time.Now()); time.Sleep(87 * time.Second); s.awaitNext() }, 144 * time.Second}, // counted from the last check before awaitNext
		"lower limit": {func(s *idleTimer) {
			time.Sleep(30 * time.Second)
			s.received(time.Now())
			s.setLimit(time.Second)
			s.awaitNext()
		}, 31 * time.Second},
		"higher limit": {func(s *idleTimer) {
			time.Sleep(30 * time.Second)
			s.received(time.Now())
			s.setLimit(time.Hour)
			s.awaitNext()
		}, time.Hour + 30*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, s := withIdleTimeout(t.Context(), time.Minute)
				c.do(s)
				<-ctx.Done()
				require.ErrorIs(t, context.Cause(ctx), errIdle)
				require.True(t, s.expired.Load())
				require.Equal(t, c.after, time.Since(begun))
				s.close()
			})
		})
	}
}

func TestClosedIdleTimerReleasesItsResources(t *testing.T) {
	for _, limit := range []time.Duration{-1, 0, time.Nanosecond, time.Hour} {
		for _, then := range []func(*idleTimer){func(*idleTimer) {}, func(s *idleTimer) { s.setLimit(-1) }, func(s *idleTimer) { s.setLimit(time.Hour) }} {
			ctx, s := withIdleTimeout(t.Context(), limit)
			then(s)
			s.close()
			s.close()
			<-ctx.Done()
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, s := withIdleTimeout(t.Context(), time.Minute)
		s.received(time.Now())
		s.setLimit(-1)
		s.awaitNext()
		time.Sleep(time.Hour)
		require.NoError(t, ctx.Err())
		s.close()
	})
}
