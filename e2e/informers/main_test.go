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
	seedFlag   = flag.Uint64("seed", 0, "what is written and broken; 0 draws one")
	roundsFlag = flag.Int("rounds", 60, "how many rounds of writes there are")
)

func TestMain(m *testing.M) {
	// client-go has much to say about connections that break.
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}

// seed is that of the flag, or one that is drawn.
func seed(t *testing.T) uint64 {
	s := *seedFlag
	for s == 0 {
		s = rand.Uint64() >> 32
	}
	t.Logf("repeat it with -args -seed=%d -rounds=%d", s, *roundsFlag)
	return s
}

// eventually waits until wrong says nothing any more, and says the last of it if
// that takes too long.
func eventually(ctx context.Context, within time.Duration, wrong func() string) string {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		said := wrong()
		if said == "" {
			return ""
		}
		select {
		case <-tick.C:
		case <-late.C:
			return said
		case <-ctx.Done():
			return said
		}
	}
}
