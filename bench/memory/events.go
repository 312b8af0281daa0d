package memory

import (
	"sync"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

// spent is the cost of a run of events.
type spent struct{ wall, cpu time.Duration }

// through sends updates through an informer with a number of handlers, and returns the
// cost until the last callback. The objects are created before.
func through(open opener[*thing], handlers, updates int, m *harness.Meter) spent {
	list, events := population(updates)
	source := &script[*thing]{
		list: list, ready: true, begin: make(chan struct{}),
		updates: updates, update: func(i int) *thing { return events[i] },
	}
	var called sync.WaitGroup
	var all []func(*thing)
	for range handlers {
		called.Add(1)
		all = append(all, counting(updates, called.Done))
	}
	i := open(source, false, all)
	defer i.Close()
	m.Start()
	defer m.Stop()
	began, cpu := time.Now(), process.CPU()
	close(source.begin)
	called.Wait()
	stored(i, events[updates-1])
	return spent{time.Since(began), process.CPU() - cpu}
}

// counting returns a handler that calls enough after that many updates. It panics if
// there are more.
func counting(updates int, enough func()) func(*thing) {
	seen := 0
	return func(*thing) {
		seen++
		if seen == updates {
			enough()
		}
		if seen > updates {
			panic("a handler was called more often than expected")
		}
	}
}

// events returns a side of informer/n.
func events(open opener[*thing], handlers int) harness.Side {
	return func(m *harness.Meter) {
		s := through(open, handlers, m.N, m)
		m.Report("cpu", float64(s.cpu.Nanoseconds())/float64(m.N))
	}
}

// fanout returns a side of fanout/n. Both runs are repeated, and the best result of
// each is used: a difference of medians would mostly be noise.
func fanout(open opener[*thing], handlers int) harness.Side {
	return func(m *harness.Meter) {
		updates, runs := 1_000_000/(handlers+9), 5
		if m.IsShort() {
			updates, runs = updates/4, 3
		}
		best := func(handlers int) (b spent) {
			for run := range runs {
				var untimed harness.Meter
				s := through(open, handlers, updates, &untimed)
				if run == 0 {
					b = s
				}
				b = spent{min(b.wall, s.wall), min(b.cpu, s.cpu)}
			}
			return b
		}
		without, with := best(0), best(handlers)
		each := float64(handlers * updates)
		m.Report("", float64((with.wall-without.wall).Nanoseconds())/each)
		m.Report("cpu", float64((with.cpu-without.cpu).Nanoseconds())/each)
	}
}
