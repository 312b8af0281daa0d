// Package queue holds the cases of the workqueue. Both sides run the same code,
// for they have the same names.
package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
)

// delayed is how many items the delaying cases add.
const delayed = 100_000

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		both("queue/add-get-done", 0, addGetDone(1),
			"one worker adds a key that it holds, gets a key, is done with it and holds it; the three calls, on a rate limiting queue"),
		both("queue/add-get-done-8w", 0, addGetDone(8),
			"the same from eight workers at once on one queue; time per item over all workers"),
		both("queue/add-rate-limited", 0, addRateLimited(1),
			"one worker adds 100 keys rate limited (first retry after 1us), then gets, forgets and is done with each; the cost per key"),
		both("queue/add-rate-limited-8w", 0, addRateLimited(8),
			"the same from eight workers at once on one queue; time per item over all workers"),
		both("queue/add-after-accept", delayed, addAfterAccept,
			"AddAfter of 100,000 keys, due between one and two hours from now; the cost of each call to its caller"),
		both("queue/add-after-deliver", delayed, addAfterDeliver,
			"AddAfter of 100,000 keys, due 1 to 10 ms from now, until one worker has got and done each; per key, the wait included"),
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

// finish gets the next key and is done with it.
func finish(q queue) string {
	key, shutdown := q.Get()
	if shutdown {
		panic("the queue has shut down under its workers")
	}
	q.Done(key)
	return key
}

// share is how many of n operations a worker does.
func share(n, workers, worker int) int {
	if worker < n%workers {
		return n/workers + 1
	}
	return n / workers
}

// keysOf returns the keys that a worker holds at first. A worker adds only what
// it holds and holds what it has got, so that no key is ever added while it is
// queued or with another worker: each add is one item, in whatever order the
// workers run.
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
