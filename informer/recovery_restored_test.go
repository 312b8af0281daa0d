package informer_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
)

// A server is restored from a backup during an outage. Within five seconds of the first
// success, every informer has the older state, for each kind of outage, and each namespace
// of an informer of several.
func TestRestoredServerIsDetectedWithinFiveSeconds(t *testing.T) {
	for _, outage := range gridOutages {
		// The version is not checked if no request fails, or only with 429, which a
		// server returns that was not restarted.
		if outage.keepsWatches() || outage.Kind == apitest.OutageTooManyRequests {
			continue
		}
		for _, ofNamespaces := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/namespaces=%t", outage, ofNamespaces), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { detectRestore(t, outage, ofNamespaces) })
			})
		}
	}
}

func detectRestore(t *testing.T, outage gridOutage, ofNamespaces bool) {
	f, stop := newFleet(t, 10, fleetKinds, ofNamespaces)
	defer stop()
	f.mark("old")
	const writes = 5 // so that the server does not reach the version of a member again
	for n := range writes {
		f.mark(fmt.Sprint("lost ", n))
	}
	synctest.Wait()
	f.forget()
	end := f.begin(outage)
	time.Sleep(8 * time.Second)
	f.server.RestartFromBackup(uint64(writes * len(f.members)))
	ended := time.Now()
	end()
	current := f.awaitMark("old", 30*time.Second)
	first, answered := f.firstSuccess(ended.Add(1)) // not a request of a lost connection
	require.True(t, answered, "no request was answered")
	for i, at := range current {
		if at.IsZero() || at.Sub(first) > 5*time.Second {
			require.Fail(t, "late recovery", "member %d has the older state %v after the first success:\n%s", i, at.Sub(first), f.history())
		}
	}
}
