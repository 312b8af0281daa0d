package store

import (
	"slices"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

func add(indexed bool) func(opener) harness.Side {
	return func(open opener) harness.Side {
		return func(m *harness.Meter) {
			s := open(indexed)
			m.Start()
			for _, o := range corpus.Objects() {
				s.Add(o)
			}
			m.Stop()
		}
	}
}

func addBatch(open opener) harness.Side {
	return func(m *harness.Meter) {
		s := open(true)
		m.Start()
		for some := range slices.Chunk(corpus.Objects(), batch) {
			s.Batch(some)
		}
		m.Stop()
	}
}

func update(indexed bool) func(opener) harness.Side {
	return func(open opener) harness.Side {
		s := full(open, indexed)
		return func(m *harness.Meter) {
			newer := corpus.AllNewer()
			m.Start()
			for _, o := range newer {
				s.Update(o)
			}
			m.Stop()
		}
	}
}

func updateBatch(open opener) harness.Side {
	s := full(open, true)
	return func(m *harness.Meter) {
		newer := corpus.AllNewer()
		m.Start()
		for some := range slices.Chunk(newer, batch) {
			s.Batch(some)
		}
		m.Stop()
	}
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
