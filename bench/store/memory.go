package store

import (
	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

func bytesPerObject(open opener) harness.Side {
	objects := corpus.Objects()
	return func(m *harness.Meter) {
		before := process.Live()
		s := open(true)
		s.Replace(objects)
		after := process.Live()
		want(s.VisitAll(), len(objects))
		m.Report("", (float64(after)-float64(before))/float64(len(objects)))
	}
}
