package store

import (
	"runtime"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

func bytesPerObject(open opener) harness.Side {
	objects := corpus.Objects()
	return func(m *harness.Meter) {
		before := liveHeap()
		s := open(true)
		s.Replace(objects)
		after := liveHeap()
		want(s.VisitAll(), len(objects))
		m.Report("", (float64(after)-float64(before))/float64(len(objects)))
	}
}

// liveHeap collects twice, for what a first collection finalizes.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
