package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// How long it takes until a context ends for silence.
func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(s *silence)
		after time.Duration
	}{
		"nothing comes":   {func(*silence) {}, time.Minute},
		"something comes": {func(s *silence) { time.Sleep(50 * time.Second); s.came(time.Now()); s.await() }, 110 * time.Second},
		"things come": {func(s *silence) {
			for range 100 {
				time.Sleep(50 * time.Second)
				s.came(time.Now())
				s.await()
			}
		}, 5060 * time.Second},
		"nobody waits meanwhile": {func(s *silence) { s.came(time.Now()); time.Sleep(87 * time.Second); s.await() }, 144 * time.Second}, // from the last look on
		"the limit falls":        {func(s *silence) { time.Sleep(30 * time.Second); s.came(time.Now()); s.setLimit(time.Second); s.await() }, 31 * time.Second},
		"the limit rises":        {func(s *silence) { time.Sleep(30 * time.Second); s.came(time.Now()); s.setLimit(time.Hour); s.await() }, time.Hour + 30*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, s := listen(t.Context(), time.Minute)
				c.do(s)
				<-ctx.Done()
				require.ErrorIs(t, context.Cause(ctx), errSilent)
				require.True(t, s.broken.Load())
				require.Equal(t, c.after, time.Since(begun))
				s.close()
			})
		})
	}
}

// Nothing of it is left when it is closed, and without a limit nothing runs.
func TestSilenceEnds(t *testing.T) {
	for _, limit := range []time.Duration{-1, 0, time.Nanosecond, time.Hour} {
		for _, then := range []func(*silence){func(*silence) {}, func(s *silence) { s.setLimit(-1) }, func(s *silence) { s.setLimit(time.Hour) }} {
			ctx, s := listen(t.Context(), limit)
			then(s)
			s.close()
			s.close()
			<-ctx.Done()
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, s := listen(t.Context(), time.Minute)
		s.came(time.Now())
		s.setLimit(-1)
		s.await()
		time.Sleep(time.Hour)
		require.NoError(t, ctx.Err())
		s.close()
	})
}
