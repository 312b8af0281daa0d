// Package queue has the cases of the work queue. Both sides run the same code, since
// both packages have the same names.
package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
)

// delayed is the number of items that the cases with delays add.
const delayed = 100_000

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		both("queue/add-get-done", 0, addGetDone(1),
			"one worker calls Add, Get and Done on a rate limiting queue; the time of the three calls"),
		both("queue/add-get-done-8w", 0, addGetDone(8),
			"the same from eight workers at once on one queue; time per item over all workers"),
		both("queue/add-rate-limited", 0, addRateLimited(1),
			"one worker calls AddRateLimited for 100 keys (first retry after 1us), then Get, Forget and Done for each; per key"),
		both("queue/add-rate-limited-8w", 0, addRateLimited(8),
			"the same from eight workers at once on one queue; time per item over all workers"),
		both("queue/add-after-accept", delayed, addAfterAccept,
			"AddAfter of 100,000 keys, due between one and two hours from now; per call"),
		both("queue/add-after-deliver", delayed, addAfterDeliver,
			"AddAfter of 100,000 keys, due 1 to 10 ms from now, until one worker has called Get and Done for each; per key, including the wait"),
	}
}

func both(name string, n int, body func(open func() queue) harness.Side, about string) harness.Case {
	return harness.Case{
		Name: name, About: about, Unit: "ns/op", N: n,
		Ours:   func() harness.Side { return body(openOurs) },
		Theirs: func() harness.Side { return body(openTheirs) },
	}
}

func addGetDone(workers int) func(func() queue) harness.Side {
	return func(open func() queue) harness.Side {
		return func(m *harness.Meter) {
			q := open()
			defer q.ShutDown()
			m.Start()
			harness.Parallel(workers, func(worker int) {
				keys := keysOf(worker)
				for i := range share(m.N, workers, worker) {
					held := &keys[i%len(keys)]
					q.Add(*held)
					*held = finish(q)
				}
			})
			m.Stop()
		}
	}
}

func addRateLimited(workers int) func(func() queue) harness.Side {
	const ahead = 100
	return func(open func() queue) harness.Side {
		return func(m *harness.Meter) {
			q := open()
			defer q.ShutDown()
			m.Start()
			harness.Parallel(workers, func(worker int) {
				keys := keysOf(worker)
				for left := share(m.N, workers, worker); left > 0; left -= ahead {
					batch := keys[:min(left, ahead)]
					for _, key := range batch {
						q.AddRateLimited(key)
					}
					for i := range batch {
						batch[i] = finish(q)
						q.Forget(batch[i])
					}
				}
			})
			m.Stop()
		}
	}
}

func addAfterAccept(open func() queue) harness.Side {
	keys, delays := delayedKeys(), delaysBetween(time.Hour, 2*time.Hour)
	return func(m *harness.Meter) {
		q := open()
		defer q.ShutDown()
		m.Start()
		for i, key := range keys {
			q.AddAfter(key, delays[i])
		}
		m.Stop()
	}
}

func addAfterDeliver(open func() queue) harness.Side {
	keys, delays := delayedKeys(), delaysBetween(time.Millisecond, 10*time.Millisecond)
	return func(m *harness.Meter) {
		q := open()
		defer q.ShutDown()
		m.Start()
		harness.Parallel(2, func(worker int) {
			for i, key := range keys {
				if worker == 0 {
					q.AddAfter(key, delays[i])
				} else {
					finish(q)
				}
			}
		})
		m.Stop()
	}
}

// finish gets the next key and marks it as done.
func finish(q queue) string {
	key, shutdown := q.Get()
	if shutdown {
		panic("the queue was shut down while workers use it")
	}
	q.Done(key)
	return key
}

// share returns how many of n operations a worker does.
func share(n, workers, worker int) int {
	if worker < n%workers {
		return n/workers + 1
	}
	return n / workers
}

// keysOf returns the first keys of a worker. A worker adds only its own keys, and a key
// that it gets becomes its own. So no key is added while it is queued or processed, and
// each add is one item, in whatever order the workers run.
func keysOf(worker int) []string { return slices.Clone(allKeys()[worker*1000 : (worker+1)*1000]) }

var allKeys = sync.OnceValue(func() []string { return namedKeys(8 * 1000) })

var delayedKeys = sync.OnceValue(func() []string { return namedKeys(delayed) })

func namedKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("team-%03d/app-%06d", i%500, i)
	}
	return keys
}

func delaysBetween(least, most time.Duration) []time.Duration {
	random := rand.New(rand.NewPCG(1, 2))
	delays := make([]time.Duration, delayed)
	for i := range delays {
		delays[i] = least + time.Duration(random.Int64N(int64(most-least)))
	}
	return delays
}
