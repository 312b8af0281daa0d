package fifo

import (
	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/cache"
)

// layerSingle and layerBatch are the queues of package cache, with the code of theirs.
type layerSingle struct{ *cache.DeltaFIFO }

func openLayerSingle() fifo {
	return layerSingle{cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KeyFunction:           cache.MetaNamespaceKeyFunc,
		EmitDeltaTypeReplaced: true,
	})}
}

func (f layerSingle) Add(o *corpus.Object) { must(f.DeltaFIFO.Add(o)) }

func (f layerSingle) Pop() (seen int) {
	_, err := f.DeltaFIFO.Pop(func(obj any, _ bool) error {
		seen = len(obj.(cache.Deltas))
		return nil
	})
	must(err)
	return seen
}

func (layerSingle) PopBatch() int { panic("a DeltaFIFO has no PopBatch") }

type layerBatch struct{ *cache.RealFIFO }

func openLayerBatch() fifo {
	return layerBatch{cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{
		KeyFunction:           cache.MetaNamespaceKeyFunc,
		AtomicEvents:          true,
		UnlockWhileProcessing: true,
	})}
}

func (f layerBatch) Add(o *corpus.Object) { must(f.RealFIFO.Add(o)) }

func (layerBatch) Pop() int { panic("the informers of client-go pop batches") }

func (f layerBatch) PopBatch() (seen int) {
	must(f.RealFIFO.PopBatch(
		func(deltas []cache.Delta, _ bool) error {
			seen = len(deltas)
			return nil
		},
		func(obj any, _ bool) error {
			seen = len(obj.(cache.Deltas))
			return nil
		}))
	return seen
}
