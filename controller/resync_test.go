package controller

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// The resync enqueues every object once in each period, evenly spread.
func TestResyncEnqueuesEveryObjectOnceAndEvenly(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 100_000} {
		if n > 1000 && (testing.Short() || RaceEnabled) {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			period := 10 * time.Minute
			at := make(map[string][]time.Time, n)
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("a/%d", i))
			}
			runTestController(t, Options{ResyncPeriod: period, Trace: &Trace{Queued: func(i TraceInfo, reason Reason) {
				if reason == ReasonResync {
					at[i.Request.Name] = append(at[i.Request.Name], time.Now())
				}
			}}}, func(*testController, context.Context, Request) (Result, error) { return Result{}, nil }, func(tc *testController) {
				tc.sleep(4 * period)
				var gaps, firsts []time.Duration
				for name, times := range at {
					firsts = append(firsts, times[0].Sub(tc.begin))
					for i := range times[1:] {
						gaps = append(gaps, times[i+1].Sub(times[i]))
					}
					assert.GreaterOrEqual(t, len(times), 3, name)
				}
				assert.Len(t, at, n, "number of objects")
				assert.Equal(t, uint64(n), tc.c.State().Reconciles-uint64(countTimes(at)), "the enqueued keys are not reconciled")
				step := max(minResyncStep, period/time.Duration(n))
				assert.InDelta(t, period, slices.Min(gaps), float64(step))
				assert.InDelta(t, period, slices.Max(gaps), float64(step))
				slices.Sort(firsts)
				most := 0
				perStep := map[time.Duration]int{}
				for _, first := range firsts {
					perStep[first]++
					most = max(most, perStep[first])
				}
				assert.LessOrEqual(t, most, n/int(period/minResyncStep)+2, "too many keys in one step")
				assert.InDelta(t, period, firsts[n-1]-firsts[0], float64(2*period/time.Duration(n)+step), "not spread over the period")
			}, names...)
		})
	}
}

func countTimes(at map[string][]time.Time) (n int) {
	for _, times := range at {
		n += len(times)
	}
	return n
}

// The resync enqueues no deleted objects, and new objects from the next period on.
func TestResyncFollowsTheStore(t *testing.T) {
	period := time.Minute
	runTestController(t, Options{ResyncPeriod: period}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		return Result{}, nil
	}, func(tc *testController) {
		tc.sleep(5 * time.Minute)
		tc.remove("b")
		tc.takeRecords()
		tc.sleep(5 * time.Minute)
		for _, line := range tc.takeRecords() {
			assert.NotRegexp(t, " b$", line)
		}
		tc.put("c", 0)
		tc.takeRecords()
		tc.sleep(5 * time.Minute)
		n := 0
		for _, line := range tc.takeRecords() {
			if line[len(line)-1] == 'c' {
				n++
			}
		}
		assert.InDelta(t, 5, n, 1)
		tc.remove("a")
		tc.remove("c")
		tc.takeRecords()
		tc.sleep(time.Hour)
		assert.Empty(t, tc.takeRecords(), "there are no objects")
	}, "a", "b")
}

// Changed keys have priority over initial keys, and initial keys over the resync.
func TestChangesHavePriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t.Context(), t.Context(), New("c", Func(nil), Options{}))
		defer r.queue.ShutDown()
		r.queueKey(Request{Name: "resync"}, ReasonResync, "")
		r.queueKey(Request{Name: "initial"}, ReasonInitial, "")
		r.queueKey(Request{Name: "changed"}, ReasonChanged, "")
		var got []string
		for range 3 {
			req, _ := r.queue.Get()
			got = append(got, req.Name)
		}
		assert.Equal(t, []string{"changed", "initial", "resync"}, got)
	})
}

// A very short ResyncPeriod is raised to minResyncStep.
func TestShortResyncPeriodIsRaised(t *testing.T) {
	runTestController(t, Options{ResyncPeriod: 10}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		return Result{}, nil
	}, func(tc *testController) {
		tc.sleep(10 * time.Second)
		assert.InDelta(t, 10*time.Second/minResyncStep, len(tc.takeRecords()), 2)
		tc.stopAndWait()
	}, "x")
}
