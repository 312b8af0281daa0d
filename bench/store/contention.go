package store

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

// readerDuringReplace reports the longest Get during a Replace. The garbage collector
// is off, since its use of the reader's processor would count as waiting.
func readerDuringReplace(open opener) harness.Side {
	s, keys := full(open, true), corpus.Keys()
	return func(m *harness.Meter) {
		newer := corpus.AllNewer()
		var longest time.Duration
		runtime.GC()
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		whileReading(func(i int) {
			began := time.Now()
			s.Get(keys[i%len(keys)])
			longest = max(longest, time.Since(began))
		}, func() { s.Replace(newer) })
		m.Report("", float64(longest.Nanoseconds())/1e3)
	}
}

// write reports the time of each Update of a writer that writes in a loop, while read
// runs in another loop; nil means no reader. It takes five budgets, because a writer
// that waits for a whole List makes few updates in one.
func write(read func(store) int) func(opener) harness.Side {
	return func(open opener) harness.Side {
		s := full(open, true)
		return func(m *harness.Meter) {
			var took []float64
			writing := func() { took = timedUpdates(s, 5*m.Budget) }
			if read == nil {
				writing()
			} else {
				whileReading(func(int) { read(s) }, writing)
			}
			m.Percentiles(took)
		}
	}
}

func timedUpdates(s store, budget time.Duration) (took []float64) {
	objects := corpus.Objects()
	for end := time.Now().Add(budget); time.Now().Before(end); {
		newer := objects[len(took)%len(objects)].Newer()
		began := time.Now()
		s.Update(newer)
		took = append(took, float64(time.Since(began).Nanoseconds()))
	}
	return took
}

// whileReading calls read in a loop on another goroutine, from before work begins until
// it has ended.
func whileReading(read func(i int), work func()) {
	var ended atomic.Bool
	begun := make(chan struct{})
	harness.Parallel(2, func(worker int) {
		if worker == 0 {
			defer ended.Store(true)
			<-begun
			work()
			return
		}
		for i := 0; !ended.Load(); i++ {
			if i == 1 {
				close(begun)
			}
			read(i)
		}
	})
}

// visitSomeNode visits the objects of one node.
func visitSomeNode(s store) int { return s.VisitNode("node-007") }
