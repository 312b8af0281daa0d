package workqueue

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

var benchKeys = func() []string {
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/pod-%d", i%50, i)
	}
	return keys
}()

// BenchmarkAddGetDone measures Add, Get and Done of one item in an idle queue.
func BenchmarkAddGetDone(b *testing.B) {
	for name, q := range map[string]TypedInterface[string]{
		"typed":    NewTyped[string](),
		"storage":  NewTypedWithConfig(TypedQueueConfig[string]{Queue: DefaultQueue[string]()}),
		"priority": NewPriorityQueue(PriorityQueueConfig[string]{}),
		"measured": NewTypedWithConfig(TypedQueueConfig[string]{Name: "b", MetricsProvider: nilProvider{}}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q.Add(benchKeys[i%1000])
				key, _ := q.Get()
				q.Done(key)
			}
			q.ShutDown()
		})
	}
}

// BenchmarkClearDirty measures ClearDirty while no item is dirty, while another one is, and
// with the Add of a dirty item before it.
func BenchmarkClearDirty(b *testing.B) {
	for name, dirty := range map[string]string{"clean": "", "other": "b", "dirty": "a"} {
		b.Run(name, func(b *testing.B) {
			q := NewPriorityQueue(PriorityQueueConfig[string]{})
			for _, key := range []string{"a", "b"} {
				q.Add(key)
				q.Get()
			}
			if dirty == "b" {
				q.Add("b")
			}
			for b.Loop() {
				if dirty == "a" {
					q.Add("a")
				}
				q.ClearDirty("a")
			}
		})
	}
}

// BenchmarkAddDuplicate measures Add of an item that is waiting.
func BenchmarkAddDuplicate(b *testing.B) {
	q := NewTyped[string]()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q.Add(benchKeys[i%1000])
	}
}

// BenchmarkAddRateLimited measures AddRateLimited and Forget.
func BenchmarkAddRateLimited(b *testing.B) {
	q := NewTypedRateLimitingQueue(DefaultTypedControllerRateLimiter[string]())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := benchKeys[i%1000]
		q.AddRateLimited(key)
		q.Forget(key)
	}
	q.ShutDown()
}

// BenchmarkWorkers measures the processing of 100,000 items by idle workers.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				q := NewTyped[string]()
				work := startWorkers(q, workers)
				for _, key := range benchKeys {
					q.Add(key)
				}
				q.ShutDownWithDrain()
				work.Wait()
			}
			perItem(b, b.Elapsed(), "ns/item")
		})
	}
}

// BenchmarkAddAfter measures 100,000 items that are due within a millisecond:
// the calls of AddAfter, and the delivery of the items.
func BenchmarkAddAfter(b *testing.B) {
	const delay = 100 * time.Millisecond
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			b.ReportAllocs()
			var accept, deliver time.Duration
			for b.Loop() {
				q := NewTypedDelayingQueue[string]()
				var left sync.WaitGroup
				left.Add(len(benchKeys))
				var work sync.WaitGroup
				for range workers {
					work.Go(func() {
						for key, shutdown := q.Get(); !shutdown; key, shutdown = q.Get() {
							q.Done(key)
							left.Done()
						}
					})
				}
				start := time.Now()
				for i, key := range benchKeys {
					q.AddAfter(key, delay+time.Duration(i*7919%len(benchKeys))*10)
				}
				accept += time.Since(start)
				left.Wait()
				deliver += time.Since(start) - delay
				q.ShutDown()
				work.Wait()
			}
			perItem(b, accept, "accept-ns/item")
			perItem(b, deliver, "deliver-ns/item")
		})
	}
}

func startWorkers(q TypedInterface[string], n int) *sync.WaitGroup {
	var work sync.WaitGroup
	for range n {
		work.Go(func() {
			for key, shutdown := q.Get(); !shutdown; key, shutdown = q.Get() {
				q.Done(key)
			}
		})
	}
	return &work
}

func perItem(b *testing.B, d time.Duration, unit string) {
	b.ReportMetric(float64(d.Nanoseconds())/float64(b.N*len(benchKeys)), unit)
}

// BenchmarkParallelizeUntil measures 10,000 pieces without work.
func BenchmarkParallelizeUntil(b *testing.B) {
	for _, chunk := range []int{1, 100} {
		b.Run(fmt.Sprint(chunk), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParallelizeUntil(b.Context(), 8, 10_000, func(int) {}, WithChunkSize(chunk))
			}
		})
	}
}
