package synctrack_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/cache/synctrack"
)

var (
	_ cache.DoneChecker = &synctrack.AsyncTracker[string]{}
	_ cache.DoneChecker = &synctrack.SingleFileTracker{}
)

// tracker is either tracker; the single one ignores the keys.
type tracker interface {
	cache.DoneChecker
	UpstreamHasSynced()
	HasSynced() bool
}

type trial struct {
	tracker
	start, finish func(key string)
}

func trials() map[string]trial {
	async, zero := synctrack.NewAsyncTracker[string]("one"), &synctrack.AsyncTracker[string]{}
	single, zeroSingle := synctrack.NewSingleFileTracker("one"), &synctrack.SingleFileTracker{}
	of := func(t *synctrack.SingleFileTracker) trial {
		return trial{t, func(string) { t.Start() }, func(string) { t.Finished() }}
	}
	return map[string]trial{
		"async": {async, async.Start, async.Finished}, "zero async": {zero, zero.Start, zero.Finished},
		"single": of(single), "zero single": of(zeroSingle),
	}
}

func closed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// HasSynced and Done: true when the source has synced and every item was processed, and
// true from then on.
func TestTrackersReportTheEndOfTheInitialList(t *testing.T) {
	for name, tracked := range trials() {
		t.Run(name, func(t *testing.T) {
			synced := func(want bool) {
				t.Helper()
				require.Equal(t, want, tracked.HasSynced())
				require.Equal(t, want, closed(tracked.Done()))
			}
			synced(false)
			tracked.start("a")
			tracked.start("b")
			tracked.finish("a")
			synced(false)
			tracked.UpstreamHasSynced()
			synced(false)
			tracked.finish("b")
			synced(true)
			tracked.start("c")
			synced(true)
			tracked.UpstreamHasSynced()
			synced(true)
		})
		t.Run(name+" without items", func(t *testing.T) {
			tracked := trials()[name]
			tracked.UpstreamHasSynced()
			require.True(t, tracked.HasSynced())
			require.True(t, closed(tracked.Done()))
		})
		t.Run(name+" finished first", func(t *testing.T) {
			tracked := trials()[name]
			tracked.start("a")
			tracked.finish("a")
			require.False(t, tracked.HasSynced())
			tracked.UpstreamHasSynced()
			require.True(t, tracked.HasSynced())
		})
	}
}

func TestTrackersHaveNames(t *testing.T) {
	require.Equal(t, "one", synctrack.NewAsyncTracker[int]("one").Name())
	require.Equal(t, "one", synctrack.NewSingleFileTracker("one").Name())
}

// AsyncTracker.Finished: a key that was not started has no effect, and a key that was
// started twice is finished once.
func TestAsyncTrackerCountsKeysOnce(t *testing.T) {
	tracked := synctrack.NewAsyncTracker[string]("")
	tracked.Finished("unknown")
	tracked.Start("a")
	tracked.Start("a")
	tracked.UpstreamHasSynced()
	tracked.Finished("unknown")
	require.False(t, tracked.HasSynced())
	tracked.Finished("a")
	require.True(t, tracked.HasSynced())
}

// SingleFileTracker.Finished: one call too many panics, and the tracker stays usable.
func TestSingleFileTrackerPanicsWithoutStart(t *testing.T) {
	tracked := synctrack.NewSingleFileTracker("pods")
	require.PanicsWithValue(t, "synctrack: Finished of the tracker pods was called more often than Start", tracked.Finished)
	tracked.Start()
	tracked.UpstreamHasSynced()
	require.False(t, tracked.HasSynced())
	tracked.Finished()
	require.True(t, tracked.HasSynced())
}

func TestTrackersAreSafeForConcurrentUse(t *testing.T) {
	for name, tracked := range trials() {
		t.Run(name, func(t *testing.T) {
			var workers sync.WaitGroup
			for i := range 50 {
				tracked.start(strconv.Itoa(i))
				workers.Go(func() {
					_ = tracked.HasSynced()
					tracked.finish(strconv.Itoa(i))
				})
			}
			workers.Go(tracked.UpstreamHasSynced)
			<-tracked.Done()
			workers.Wait()
			require.True(t, tracked.HasSynced())
		})
	}
}
