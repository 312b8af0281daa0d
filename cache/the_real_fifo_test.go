package cache

import (
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Contradictory options panic with a description.
func TestRealFIFOContradictoryOptions(t *testing.T) {
	for name, opts := range map[string]RealFIFOOptions{
		"KnownObjects and AtomicEvents":               {AtomicEvents: true, KnownObjects: orderedStore{}},
		"neither KnownObjects nor AtomicEvents":       {},
		"UnlockWhileProcessing requires AtomicEvents": {KnownObjects: orderedStore{}, UnlockWhileProcessing: true},
		"EmitDeltaTypeBookmark requires AtomicEvents": {KnownObjects: orderedStore{}, EmitDeltaTypeBookmark: true},
	} {
		require.PanicsWithValue(t, "cache: invalid RealFIFOOptions: "+name, func() {
			defer func() {
				logs := recover().(string)
				panic(logs[:min(len(logs), len("cache: invalid RealFIFOOptions: "+name))])
			}()
			NewRealFIFOWithOptions(opts)
		})
	}
}

// "PopBatch calls processBatch with up to 1000 deltas of different objects."
func TestRealFIFOBatchesAreBounded(t *testing.T) {
	queue := NewRealFIFO(queuedKey, orderedStore{}, nil)
	for i := range 2500 {
		require.NoError(t, queue.Add(parseQueued(strconv.Itoa(i))))
	}
	var sizes []int
	for range 3 {
		require.NoError(t, queue.PopBatch(func(deltas []Delta, _ bool) error {
			sizes = append(sizes, len(deltas))
			return nil
		}, func(any, bool) error { return nil }))
	}
	require.Equal(t, []int{1000, 1000, 500}, sizes)
}

// "A batch does not mix items of the initial list with later ones."
func TestRealFIFOBatchesEndWithInitialList(t *testing.T) {
	queue := NewRealFIFO(queuedKey, orderedStore{}, nil)
	require.NoError(t, queue.Replace([]any{parseQueued("A"), parseQueued("B"), parseQueued("C")}, "1"))
	require.NoError(t, queue.Add(parseQueued("D")))
	require.NoError(t, queue.Add(parseQueued("E")))
	for _, batch := range []struct {
		size    int
		initial bool
	}{{3, true}, {2, false}} {
		require.Equal(t, !batch.initial, queue.HasSynced())
		require.NoError(t, queue.PopBatch(func(deltas []Delta, isInInitialList bool) error {
			require.Len(t, deltas, batch.size)
			require.Equal(t, batch.initial, isInInitialList)
			return nil
		}, failOnSinglePop))
	}
	require.True(t, queue.HasSynced())
}

// failOnSinglePop is the process function of tests that expect only batches.
func failOnSinglePop(obj any, _ bool) error {
	return fmt.Errorf("popped as a single item: %s", showPopped(obj))
}

// "If processBatch is nil, each delta is processed individually."
func TestRealFIFOWithoutProcessBatch(t *testing.T) {
	queue := NewRealFIFO(queuedKey, orderedStore{}, nil)
	require.NoError(t, queue.Replace([]any{parseQueued("A"), parseQueued("B")}, "1"))
	for _, name := range []string{"A", "B"} {
		require.NoError(t, queue.PopBatch(nil, func(obj any, _ bool) error {
			require.Equal(t, "[Replaced "+name+"]", showPopped(obj))
			return nil
		}))
	}
	require.True(t, queue.HasSynced())
}

// "Writes wait only while two batches are queued and an item is being
// processed." Close ends that wait.
func TestRealFIFOWritesWaitWhenFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewRealFIFO(queuedKey, orderedStore{}, nil)
		written := 0
		write := func(n int) (err error) {
			for i := 0; i < n && err == nil; i++ {
				if err = queue.Add(parseQueued("A")); err == nil {
					written++
				}
			}
			return err
		}
		require.NoError(t, write(2*batchSize+1), "no item is being processed")
		release := make(chan struct{})
		pop := func() {
			_, err := queue.Pop(func(any, bool) error { <-release; return nil })
			require.NoError(t, err)
		}
		var last error
		go pop()
		synctest.Wait()
		go func() { last = write(2) }()
		synctest.Wait()
		require.Equal(t, 2*batchSize+1, written, "the next write waits")
		release <- struct{}{}
		synctest.Wait()
		require.Equal(t, 2*batchSize+3, written)
		require.NoError(t, last)

		go pop()
		synctest.Wait()
		go func() { last = write(1) }()
		synctest.Wait()
		require.Equal(t, 2*batchSize+3, written, "the next write waits")
		queue.Close()
		synctest.Wait()
		require.ErrorIs(t, last, ErrFIFOClosed)
		close(release)
		synctest.Wait()
	})
}

// Popped deltas are released, even if the backlog is never empty.
func TestBacklogReleasesMemory(t *testing.T) {
	var b backlog
	next, first := 0, 0
	push := func() {
		b.push(queuedDelta{key: strconv.Itoa(next)})
		next++
	}
	drop := func(n int) {
		for i, item := range b.queue()[:n] {
			require.Equal(t, strconv.Itoa(first+i), item.key)
		}
		b.removeOldest(n)
		first += n
		for _, item := range b.items[:b.head] {
			require.Zero(t, item, "a popped delta is still referenced")
		}
	}
	push()
	for range 10000 {
		push()
		drop(1)
		require.Equal(t, next-first, b.len())
	}
	require.Less(t, cap(b.items), 16)
	for range 2 * minBacklogCapacity {
		push()
	}
	for b.len() > 1 {
		drop(1)
	}
	for _, item := range b.items[b.len():cap(b.items)] {
		require.Zero(t, item, "a popped delta is still referenced")
	}
	drop(1)
	require.Zero(t, cap(b.items), "the capacity of an empty backlog")
}

// gauge and histogram record their values.
type (
	gauge     struct{ last float64 }
	histogram struct{ seconds []float64 }
)

func (g *gauge) Set(value float64) { g.last = value }

func (h *histogram) Observe(value float64) { h.seconds = append(h.seconds, value) }

type queueProvider struct {
	InformerMetricsProvider
	items   *gauge
	latency *histogram
}

func (p queueProvider) NewQueuedItemMetric(InformerNameAndResource) GaugeMetric { return p.items }

func (p queueProvider) NewProcessingLatencyMetric(InformerNameAndResource) HistogramMetric {
	return p.latency
}

// The metrics are the length of the queue and the duration of processing. The
// queue has the name of the identifier.
func TestRealFIFOMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name, err := NewInformerName("queue-metrics")
		require.NoError(t, err)
		defer name.Release()
		provider := queueProvider{items: &gauge{}, latency: &histogram{}}
		queue := NewRealFIFOWithOptions(RealFIFOOptions{
			Name: "unused name", KeyFunction: queuedKey, AtomicEvents: true, MetricsProvider: provider,
			Identifier: name.WithResource(schema.GroupVersionResource{Resource: "pods"}),
		})
		require.Equal(t, "queue-metrics", queue.Name())
		for i := range 3 {
			require.NoError(t, queue.Add(parseQueued("A")))
			require.EqualValues(t, i+1, provider.items.last)
		}
		_, err = queue.Pop(func(any, bool) error {
			require.EqualValues(t, 2, provider.items.last)
			time.Sleep(2 * time.Second)
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, []float64{2}, provider.latency.seconds)
	})
}

// The names of queues appear in logs.
func TestQueueNames(t *testing.T) {
	require.Equal(t, "FIFO", NewFIFO(queuedKey).Name())
	require.Equal(t, "DeltaFIFO", NewDeltaFIFO(queuedKey, nil).Name())
	require.Equal(t, "mine", NewDeltaFIFOWithOptions(DeltaFIFOOptions{Name: "mine"}).Name())
	require.Equal(t, "RealFIFO", NewRealFIFO(queuedKey, orderedStore{}, nil).Name())
	require.Equal(t, "mine", NewRealFIFOWithOptions(RealFIFOOptions{Name: "mine", AtomicEvents: true}).Name())
}

// With a concurrent writer and consumer, the states of each object arrive in
// order and none is lost.
func TestQueuesUnderLoad(t *testing.T) {
	store := NewStore(queuedKey)
	for name, queue := range map[string]Queue{
		"DeltaFIFO": NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: queuedKey, KnownObjects: store}),
		"RealFIFO":  NewRealFIFO(queuedKey, store, nil),
		"atomic":    NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: queuedKey, AtomicEvents: true}),
	} {
		t.Run(name, func(t *testing.T) { checkUnderLoad(t, queue) })
	}
}

func checkUnderLoad(t *testing.T, queue Queue) {
	const objects, versions = 20, 100
	last, done := map[string]int{}, make(chan struct{})
	take := func(obj any, _ bool) error {
		for _, d := range obj.(Deltas) {
			o := d.Object.(*queuedObject)
			version, _ := strconv.Atoi(o.ResourceVersion)
			require.Equal(t, last[o.Name]+1, version)
			last[o.Name] = version
		}
		return nil
	}
	go func() {
		defer close(done)
		var err error
		for err == nil {
			if batches, ok := queue.(QueueWithBatch); ok {
				err = batches.PopBatch(func(deltas []Delta, _ bool) error { return take(Deltas(deltas), false) }, take)
			} else {
				_, err = queue.Pop(take)
			}
		}
	}()
	for version := 1; version <= versions; version++ {
		for i := range objects {
			require.NoError(t, queue.Update(parseQueued(fmt.Sprintf("%d@%d", i, version))))
		}
	}
	queue.Close()
	<-done
	require.Len(t, last, objects)
	for _, version := range last {
		require.Equal(t, versions, version)
	}
}
