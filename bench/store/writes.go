package store

import (
	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

// fresh calls write with fresh copies of all objects, a thousand at a time, since a
// caller has usually just decoded the object. Only write is timed.
func fresh(m *harness.Meter, objects []*corpus.Object, write func([]*corpus.Object)) {
	for i, some := 0, corpus.Fresh(objects[:batch]); ; some = corpus.Fresh(objects[i : i+batch]) {
		if i == 0 {
			m.Start()
		} else {
			m.Resume()
		}
		write(some)
		m.Stop()
		if i += batch; i >= len(objects) {
			return
		}
	}
}

func add(indexed bool) func(opener) harness.Side {
	return func(open opener) harness.Side {
		return func(m *harness.Meter) {
			s := open(indexed)
			fresh(m, corpus.Objects(), func(some []*corpus.Object) {
				for _, o := range some {
					s.Add(o)
				}
			})
		}
	}
}

func addBatch(open opener) harness.Side {
	return func(m *harness.Meter) {
		fresh(m, corpus.Objects(), open(true).Batch)
	}
}

func update(indexed bool) func(opener) harness.Side {
	return func(open opener) harness.Side {
		s := full(open, indexed)
		return func(m *harness.Meter) {
			fresh(m, corpus.Shuffled(), func(some []*corpus.Object) {
				for _, o := range some {
					s.Update(o)
				}
			})
		}
	}
}

func updateBatch(open opener) harness.Side {
	s := full(open, true)
	return func(m *harness.Meter) { fresh(m, corpus.Shuffled(), s.Batch) }
}

func remove(open opener) harness.Side {
	return func(m *harness.Meter) {
		s := open(true)
		s.Replace(corpus.Objects())
		gone := corpus.AllNewer()
		m.Start()
		for _, o := range gone {
			s.Delete(o)
		}
		m.Stop()
		want(s.VisitAll(), 0)
	}
}

func replace(open opener) harness.Side {
	s := full(open, true)
	return func(m *harness.Meter) {
		newer := corpus.AllNewer()
		m.Start()
		s.Replace(newer)
		m.Stop()
	}
}
