package reflector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The first wait is Base. Each further wait is Factor times as long, up to Max.
// Jitter extends each wait.
func TestBackoffGrows(t *testing.T) {
	for name, c := range map[string]struct {
		backoff Backoff
		jitter  float64
		want    []time.Duration
	}{
		"defaults": {Backoff{}, 0, []time.Duration{800 * time.Millisecond, 1600 * time.Millisecond, 3200 * time.Millisecond,
			6400 * time.Millisecond, 12800 * time.Millisecond, 25600 * time.Millisecond, 30 * time.Second, 30 * time.Second}},
		"default jitter":     {Backoff{Base: time.Second}, 0.5, []time.Duration{1500 * time.Millisecond, 3 * time.Second}},
		"factor and maximum": {Backoff{Base: time.Second, Max: 20 * time.Second, Factor: 3}, 0, []time.Duration{1e9, 3e9, 9e9, 20e9, 20e9}},
		"factor below one":   {Backoff{Base: time.Second, Factor: 0.1}, 0, []time.Duration{time.Second, time.Second}},
		"jitter":             {Backoff{Base: time.Second, Jitter: 0.1}, 1, []time.Duration{1100 * time.Millisecond, 2200 * time.Millisecond}},
		"jitter disabled":    {Backoff{Base: time.Second, Jitter: -1}, 1, []time.Duration{time.Second, 2 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			var f failures
			for i, want := range c.want {
				f.wait(input{at: time.Unix(0, 0), jitter: c.jitter}, c.backoff)
				require.Equal(t, want, f.retryAt.Sub(time.Unix(0, 0)), "wait %d", i)
			}
			for range 2000 {
				f.wait(input{at: time.Unix(0, 0)}, c.backoff)
			}
			require.True(t, f.retryAt.After(time.Unix(0, 0)), "after 2000 more waits")
		})
	}
}
