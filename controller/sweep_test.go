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

// The sweep brings every object once in each period, evenly spread, with the
// lowest priority. What has gone meanwhile does not come, what is new comes from
// the next period on.
func TestTheSweepGoesOnceOverAllEvenly(t *testing.T) {
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
			atDesk(t, Options{Sweep: period, Trace: &Trace{Queued: func(i TraceInfo, why Reason) {
				if why == ReasonSwept {
					at[i.Request.Name] = append(at[i.Request.Name], time.Now())
				}
			}}}, func(*desk, context.Context, Request) (Result, error) { return Result{}, nil }, func(d *desk) {
				d.after(4 * period)
				var gaps, firsts []time.Duration
				for name, times := range at {
					firsts = append(firsts, times[0].Sub(d.begin))
					for i := range times[1:] {
						gaps = append(gaps, times[i+1].Sub(times[i]))
					}
					assert.GreaterOrEqual(t, len(times), 3, name)
				}
				assert.Len(t, at, n, "every object")
				assert.Equal(t, uint64(n), d.c.State().Reconciles-uint64(swept(at)), "and each is reconciled")
				step := max(sweepStep, period/time.Duration(n))
				assert.InDelta(t, period, slices.Min(gaps), float64(step))
				assert.InDelta(t, period, slices.Max(gaps), float64(step))
				slices.Sort(firsts)
				most := 0
				perStep := map[time.Duration]int{}
				for _, first := range firsts {
					perStep[first]++
					most = max(most, perStep[first])
				}
				assert.LessOrEqual(t, most, n/int(period/sweepStep)+2, "no burst")
				assert.InDelta(t, period, firsts[n-1]-firsts[0], float64(2*period/time.Duration(n)+step), "spread over all of it")
			}, names...)
		})
	}
}

func swept(at map[string][]time.Time) (n int) {
	for _, times := range at {
		n += len(times)
	}
	return n
}

func TestTheSweepFollowsWhatIsThere(t *testing.T) {
	period := time.Minute
	atDesk(t, Options{Sweep: period}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		return Result{}, nil
	}, func(d *desk) {
		d.after(5 * time.Minute)
		d.remove("b")
		d.notes()
		d.after(5 * time.Minute)
		for _, line := range d.notes() {
			assert.NotRegexp(t, " b$", line)
		}
		d.put("c", 0)
		d.notes()
		d.after(5 * time.Minute)
		n := 0
		for _, line := range d.notes() {
			if line[len(line)-1] == 'c' {
				n++
			}
		}
		assert.InDelta(t, 5, n, 1)
		d.remove("a")
		d.remove("c")
		d.notes()
		d.after(time.Hour)
		assert.Empty(t, d.notes(), "nothing is there")
	}, "a", "b")
}

// Live changes go before what was there at the beginning, and that before the
// sweep; what waits long gets its turn.
func TestWhatGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t.Context(), t.Context(), New("c", Func(nil), Options{}))
		defer r.queue.ShutDown()
		r.queueKey(Request{Name: "swept"}, ReasonSwept)
		r.queueKey(Request{Name: "initial"}, ReasonInitial)
		r.queueKey(Request{Name: "changed"}, ReasonChanged)
		var got []string
		for range 3 {
			req, _ := r.queue.Get()
			got = append(got, req.Name)
		}
		assert.Equal(t, []string{"changed", "initial", "swept"}, got)
	})
}

// A period that is too short to be meant neither keeps the machine busy nor the
// controller from its end.
func TestASweepWithoutARest(t *testing.T) {
	atDesk(t, Options{Sweep: 10}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		return Result{}, nil
	}, func(d *desk) {
		d.after(10 * time.Second)
		assert.InDelta(t, 10*time.Second/sweepStep, len(d.notes()), 2)
		d.finish()
	}, "x")
}
