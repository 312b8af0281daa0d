// Package fifo has the cases of the queue between a reflector and a store.
package fifo

import (
	"strings"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

// window is the number of objects that are queued before they are popped: the maximum
// batch of client-go's informer.
const window = 1000

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		{
			Name: "fifo/single", Unit: "ns/op",
			About:  "Add of 1,000 objects, then Pop of each key; per object, both steps. The other side is a DeltaFIFO",
			Ours:   func() harness.Side { return through(openOurs, fifo.Pop) },
			Theirs: func() harness.Side { return through(openTheirsSingle, fifo.Pop) },
		},
		{
			Name: "fifo/batch", Unit: "ns/op",
			About:  "Add of 1,000 objects, then PopBatch of all; per object, both steps. The other side is a RealFIFO with AtomicEvents and UnlockWhileProcessing",
			Ours:   func() harness.Side { return through(openOurs, fifo.PopBatch) },
			Theirs: func() harness.Side { return through(openTheirsBatch, fifo.PopBatch) },
		},
	}
}

// LayerCases returns the cases of package cache: the cases above with the code of theirs
// and other imports.
func LayerCases() (cases []harness.Case) {
	layers := []func() fifo{openLayerSingle, openLayerBatch}
	pops := []func(fifo) int{fifo.Pop, fifo.PopBatch}
	for i, c := range Cases() {
		c.Name = "cache/" + strings.Replace(c.Name, "/", "-", 1)
		c.Typed = c.Ours
		c.Ours = func() harness.Side { return through(layers[i], pops[i]) }
		cases = append(cases, c)
	}
	return cases
}

// objects returns so few objects that they stay in the processor's caches, as objects
// that have just been decoded.
func objects() []*corpus.Object { return corpus.Objects()[:2*window] }

// through sends objects through the queue, a window at a time.
func through(open func() fifo, pop func(fifo) int) harness.Side {
	objects := objects()
	return func(m *harness.Meter) {
		f := open()
		m.Start()
		for done := 0; done < m.N; {
			size := min(window, m.N-done)
			for i := range size {
				f.Add(objects[(done+i)%len(objects)])
			}
			for queued := size; queued > 0; {
				queued -= pop(f)
			}
			done += size
		}
		m.Stop()
	}
}
