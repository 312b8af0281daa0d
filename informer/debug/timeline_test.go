package debug

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// textOf returns the events of a key as text.
func textOf(tl *Timeline, key string) string {
	var out strings.Builder
	for _, e := range tl.Events("pods", key) {
		fmt.Fprintf(&out, "%s:", e.Version)
		for _, s := range e.Steps {
			fmt.Fprintf(&out, " %s", s.Stage)
			if s.Handler != "" {
				fmt.Fprintf(&out, "(%s)", s.Handler)
			}
		}
		if e.DroppedSteps > 0 {
			fmt.Fprintf(&out, " +%d", e.DroppedSteps)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func info(key, version, event string, handler ...string) informer.TraceInfo {
	return informer.TraceInfo{Informer: "pods", Key: key, Version: version, Event: event, Handler: strings.Join(handler, "")}
}

// The steps of one event are grouped, in order of time.
func TestStepsAreGroupedByEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tl := NewTimeline(TimelineOptions{})
		tr := tl.Trace()
		began := time.Now()
		tr.Received(info("a", "1", "ADDED"))
		tr.Received(info("a", "2", "MODIFIED"))
		time.Sleep(time.Second)
		tr.Stored(info("a", "1", "add"))
		tr.Stored(info("a", "2", "update"))
		tr.Called(info("a", "1", "add", "h"))
		tr.Merged(info("a", "2", "update", "slow"))
		tr.Returned(info("a", "1", "add", "h"))
		// A deletion that was not observed has the version of the last state.
		tr.Stored(info("a", "2", "delete"))
		require.Equal(t, "1: received stored called(h) returned(h)\n2: received stored merged(slow)\n2: stored\n", textOf(tl, "a"))

		first := tl.Events("pods", "a")[0].Steps
		require.Equal(t, Step{At: began.Round(0), Stage: Received, Event: "ADDED"}, first[0])
		require.Equal(t, Step{At: began.Add(time.Second).Round(0), Stage: Called, Event: "add", Handler: "h"}, first[2])
	})
}

// At most Events events are recorded per key, the newest ones.
func TestOldestEventsAreDropped(t *testing.T) {
	tl := NewTimeline(TimelineOptions{Events: 2})
	for _, version := range []string{"1", "2", "3"} {
		tl.Trace().Received(info("a", version, "MODIFIED"))
	}
	require.Equal(t, "2: received\n3: received\n", textOf(tl, "a"))
	// A late step of a dropped event creates a new event.
	tl.Trace().Returned(info("a", "1", "update", "h"))
	require.Equal(t, "3: received\n1: returned(h)\n", textOf(tl, "a"))
}

// An event with many steps replaces older events up to half of the steps of the key.
// Then it drops its own steps from the middle.
func TestStepsPerKeyAreBounded(t *testing.T) {
	const maxSteps = 3 * stepsPerEvent
	tl := NewTimeline(TimelineOptions{Events: 3})
	steps := 0
	called := func(version string, times int) {
		for range times {
			steps++
			tl.Trace().Called(info("a", version, "update", fmt.Sprint(steps)))
		}
	}
	called("1", 20)
	called("2", 20)
	called("3", 8)
	require.Len(t, tl.Events("pods", "a"), 3)
	called("3", 1)
	require.Len(t, tl.Events("pods", "a"), 2, "the oldest event is dropped")
	called("3", 200)
	events := tl.Events("pods", "a")
	require.Len(t, events, 2, "the previous event is not dropped")
	require.Len(t, events[0].Steps, 20)
	last := events[1].Steps
	require.Len(t, last, maxSteps-20)
	require.Equal(t, 209-len(last), events[1].DroppedSteps)
	require.Equal(t, "41", last[0].Handler, "the first step")
	for i := range maxSteps/2 - 14 {
		require.Equal(t, fmt.Sprint(steps-i), last[len(last)-1-i].Handler, "the last steps")
	}
	// A late step of an older event drops a step of that event.
	called("2", 1)
	events = tl.Events("pods", "a")
	require.Len(t, events, 2)
	require.Len(t, events[0].Steps, 20)
	require.Equal(t, 1, events[0].DroppedSteps)
	// A new event drops the oldest one.
	called("4", 1)
	require.Equal(t, "4", tl.Events("pods", "a")[1].Version)
	require.Equal(t, "3", tl.Events("pods", "a")[0].Version)
}

// A small event does not reuse the memory of a large one.
func TestSmallEventDoesNotHoldLargeMemory(t *testing.T) {
	tl := NewTimeline(TimelineOptions{Events: 4})
	for version, times := range []int{1, 4 * stepsPerEvent, 4 * stepsPerEvent, 1, 1, 1, 1, 1, 1} {
		for range times {
			tl.Trace().Called(info("a", fmt.Sprint(version), "update", "h"))
		}
	}
	for _, e := range tl.histories[subject{"pods", "a"}].Value.(*history).events {
		require.LessOrEqual(t, cap(e.steps), 2*stepsPerEvent)
	}
}

// A new key replaces the least recent one.
func TestLeastRecentKeyIsDropped(t *testing.T) {
	tl := NewTimeline(TimelineOptions{Keys: 2})
	for _, key := range []string{"a", "b", "a", "c"} {
		tl.Trace().Received(info(key, "1", "ADDED"))
	}
	require.Empty(t, textOf(tl, "b"))
	require.NotEmpty(t, textOf(tl, "a"))
	require.NotEmpty(t, textOf(tl, "c"))
	require.Empty(t, tl.Events("nodes", "a"), "a key belongs to one informer")
}

// Only keys that Filter accepts are recorded.
func TestFilterRestrictsRecordedKeys(t *testing.T) {
	tl := NewTimeline(TimelineOptions{Filter: func(informer, key string) bool { return informer == "pods" && key == "a" }})
	tl.Trace().Received(info("a", "1", "ADDED"))
	tl.Trace().Received(info("b", "1", "ADDED"))
	require.NotEmpty(t, textOf(tl, "a"))
	require.Empty(t, textOf(tl, "b"))
}

// A timeline can be used concurrently, and a result of Events does not change.
func TestTimelineConcurrentUse(t *testing.T) {
	tl := NewTimeline(TimelineOptions{Keys: 4, Events: 3})
	tr := tl.Trace()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				key, version := fmt.Sprint(i%6), fmt.Sprint(i/6)
				tr.Called(info(key, version, "update", fmt.Sprint(g)))
				if events := tl.Events("pods", key); len(events) > 0 {
					requireOrdered(t, events)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, tl.histories, 4)
	require.Equal(t, 4, tl.recent.Len())
}

func requireOrdered(t *testing.T, events []Event) {
	for _, e := range events {
		for i := 1; i < len(e.Steps); i++ {
			if e.Steps[i].At.Before(e.Steps[i-1].At) {
				t.Errorf("%v precedes %v", e.Steps[i-1], e.Steps[i])
			}
		}
	}
}

// The memory of a timeline is bounded.
func TestTimelineIsBounded(t *testing.T) {
	before := liveHeap()
	tl := NewTimeline(TimelineOptions{})
	tr := tl.Trace()
	text := strings.Repeat("content of an object that shares memory with its key ", 150)
	for i := range 40_000 {
		// The strings are parts of a large one, as those of a decoded object may be.
		large := fmt.Sprintf("default/web-%04d %d%s", i%2000, i/2000/8, text)
		key, version := large[:16], large[17:min(len(large), 19)]
		tr.Called(info(key, version, "update", "h"))
	}
	held := int64(liveHeap()) - int64(before)
	require.Less(t, held, int64(4<<20))
	require.Len(t, tl.histories, 1000)
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkTimeline(b *testing.B) {
	for name, o := range map[string]TimelineOptions{
		"all": {}, "others": {Filter: func(_, key string) bool { return key == "a" }},
	} {
		b.Run(name, func(b *testing.B) {
			tr := NewTimeline(o).Trace()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tr.Called(info(names[i/4%500], names[i/2000%1000], "update"))
			}
		})
	}
}
