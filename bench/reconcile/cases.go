// Package reconcile has the cases of the reconcile loop. The other side is
// controller-runtime with its defaults, that is with its priority queue and its
// metrics, and with a logger that discards everything.
package reconcile

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
)

// A request is a key, as both sides have it.
type request struct{ namespace, name string }

// A loop is a running controller.
type loop interface {
	// bring enqueues the keys, each of which is new.
	bring(requests []request)
	stop()
}

// burst is the number of objects that change at once.
const burst = 10_000

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		{
			Name: "reconcile/empty", Unit: "ns/op",
			About:  "a reconcile that does nothing: the time of the loop per key, with one worker. The other side is controller-runtime",
			Ours:   func() harness.Side { return empty(openOurs) },
			Theirs: func() harness.Side { return empty(openTheirs) },
		},
		{
			Name: "reconcile/burst", Unit: "ms/op", N: 1, Rounds: 7,
			About:  "a watch sends a change of each of 10,000 objects: the time until 8 workers have reconciled each object in its new state; one informer, without HTTP. The other side is controller-runtime with client-go's informer",
			Ours:   func() harness.Side { return atOnce(openOurInformer) },
			Theirs: func() harness.Side { return atOnce(openTheirInformer) },
		},
	}
}

// empty returns a side that measures a reconcile that only counts.
func empty(open func(workers int, reconcile func()) loop) harness.Side {
	return func(m *harness.Meter) {
		requests := make([]request, m.N)
		for i := range requests {
			requests[i] = request{"default", fmt.Sprint("key-", i)}
		}
		var left atomic.Int64
		all := make(chan struct{})
		l := open(1, func() {
			if left.Add(-1) == 0 {
				close(all)
			}
		})
		defer l.stop()
		left.Store(int64(m.N))
		m.Start()
		l.bring(requests)
		<-all
		m.Stop()
	}
}

// A changing is a controller with an informer whose objects can be changed.
type changing interface {
	// change sends an event with the given version for each object.
	change(version int)
	stop()
}

// atOnce returns a side that changes all objects and waits until each has been
// reconciled in its new state. The number of calls is an additional row.
func atOnce(open func(workers, objects int, reconcile func(name string, version int)) changing) harness.Side {
	return func(m *harness.Meter) {
		var calls, left atomic.Int64
		var wanted atomic.Int64
		seen := make([]atomic.Int64, burst)
		all := make(chan struct{}, 1)
		c := open(8, burst, func(name string, version int) {
			calls.Add(1)
			if want := wanted.Load(); int64(version) == want && seen[indexOf(name)].Swap(want) != want && left.Add(-1) == 0 {
				all <- struct{}{}
			}
		})
		defer c.stop()
		wait := func(version int) {
			select {
			case <-all:
			case <-time.After(time.Minute):
				panic(fmt.Sprintf("%d of %d objects were not reconciled at version %d", left.Load(), burst, version))
			}
		}
		expect := func(version int) {
			left.Store(burst)
			wanted.Store(int64(version))
			calls.Store(0)
		}
		for version := 2; version < 4; version++ { // the first is a warm-up
			expect(version)
			if version == 3 {
				m.Start()
			}
			c.change(version)
			wait(version)
		}
		m.Stop()
		m.ReportIn("calls", "calls", float64(calls.Load()))
	}
}

func nameOf(i int) string { return fmt.Sprintf("w-%05d", i) }

func indexOf(name string) (i int) {
	for _, digit := range name[len("w-"):] {
		i = i*10 + int(digit-'0')
	}
	return i
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
