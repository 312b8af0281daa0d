package store

import (
	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

func get(open opener) harness.Side {
	s, keys := full(open, true), corpus.Keys()
	return func(m *harness.Meter) {
		m.Start()
		for i := range m.N {
			if _, found := s.Get(keys[i%len(keys)]); !found {
				panic("lost " + keys[i%len(keys)])
			}
		}
		m.Stop()
	}
}

func iterate(open opener) harness.Side {
	s := full(open, true)
	return func(m *harness.Meter) {
		m.Start()
		for range m.N {
			want(s.VisitAll(), corpus.Count)
		}
		m.Stop()
	}
}

func visit(names func() []string, visitOne func(store, string) int) func(opener) harness.Side {
	return func(open opener) harness.Side {
		s, names := full(open, true), names()
		return func(m *harness.Meter) {
			m.Start()
			for i := range m.N {
				want(visitOne(s, names[i%len(names)]), corpus.Count/len(names))
			}
			m.Stop()
		}
	}
}
