package fifo

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/deltafifo"
)

// fifo has the operations of the cases, for all sides.
type fifo interface {
	Add(*corpus.Object)
	// Pop processes one key, PopBatch a batch of at most 1,000 deltas. Both return the
	// number of processed deltas.
	Pop() int
	PopBatch() int
}

type ours struct {
	queue *deltafifo.DeltaFIFO[*corpus.Object]
}

func openOurs() fifo {
	return ours{deltafifo.New(deltafifo.Options[*corpus.Object]{
		MetaFunc: func(o *corpus.Object) (types.UID, string) { return o.UID, o.ResourceVersion },
	})}
}

func (f ours) Add(o *corpus.Object) { must(f.queue.Add(o)) }

func (f ours) Pop() (seen int) {
	must(f.queue.Pop(context.Background(), func(_ string, deltas deltafifo.Deltas[*corpus.Object], _ bool) error {
		seen = len(deltas)
		return nil
	}))
	return seen
}

func (f ours) PopBatch() (seen int) {
	must(f.queue.PopBatch(context.Background(), window, func(deltas []deltafifo.Delta[*corpus.Object], _ deltafifo.Batch) error {
		seen = len(deltas)
		return nil
	}))
	return seen
}

// theirsSingle is client-go's DeltaFIFO, theirsBatch the queue of its informers.
type theirsSingle struct{ *cache.DeltaFIFO }

func openTheirsSingle() fifo {
	return theirsSingle{cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KeyFunction:           cache.MetaNamespaceKeyFunc,
		EmitDeltaTypeReplaced: true,
	})}
}

func (f theirsSingle) Add(o *corpus.Object) { must(f.DeltaFIFO.Add(o)) }

func (f theirsSingle) Pop() (seen int) {
	_, err := f.DeltaFIFO.Pop(func(obj any, _ bool) error {
		seen = len(obj.(cache.Deltas))
		return nil
	})
	must(err)
	return seen
}

func (theirsSingle) PopBatch() int { panic("a DeltaFIFO has no PopBatch") }

type theirsBatch struct{ *cache.RealFIFO }

func openTheirsBatch() fifo {
	return theirsBatch{cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{
		KeyFunction:           cache.MetaNamespaceKeyFunc,
		AtomicEvents:          true,
		UnlockWhileProcessing: true,
	})}
}

func (f theirsBatch) Add(o *corpus.Object) { must(f.RealFIFO.Add(o)) }

func (theirsBatch) Pop() int { panic("the informers of client-go pop batches") }

func (f theirsBatch) PopBatch() (seen int) {
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

func must(err error) {
	if err != nil {
		panic(err)
	}
}
