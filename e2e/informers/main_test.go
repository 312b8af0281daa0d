package informers

import (
	"context"
	"flag"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/klog/v2"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "seed of the writes and the broken connections; 0 means a random one")
	roundsFlag = flag.Int("rounds", 60, "number of rounds of writes")
)

func TestMain(m *testing.M) {
	// client-go logs a lot about connections that break.
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}

// seed returns the seed of the flag, or a random one.
func seed(t *testing.T) uint64 {
	s := *seedFlag
	for s == 0 {
		s = rand.Uint64() >> 32
	}
	t.Logf("repeat it with -args -seed=%d -rounds=%d", s, *roundsFlag)
	return s
}

// eventually waits until wrong returns "". It returns the last result if that takes too
// long.
func eventually(ctx context.Context, within time.Duration, wrong func() string) string {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		message := wrong()
		if message == "" {
			return ""
		}
		select {
		case <-tick.C:
		case <-late.C:
			return message
		case <-ctx.Done():
			return message
		}
	}
}
