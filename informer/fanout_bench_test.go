package informer

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// BenchmarkFanout is one notification for one handler: ns/op is the time from
// the first batch to the last callback, by the notifications and the handlers.
// Batches of 1 are what a trickle of events gives, of 100 what a busy watch
// does.
func BenchmarkFanout(b *testing.B) {
	for _, handlers := range []int{1, 10, 50} {
		for _, size := range []int{1, 100} {
			b.Run(fmt.Sprintf("handlers=%d/batch=%d", handlers, size), func(b *testing.B) {
				benchmarkFanout(b, handlers, size)
			})
		}
	}
}

func benchmarkFanout(b *testing.B, handlers, size int) {
	s := newStage(b)
	s.apply("a", "!")
	var left atomic.Int64
	done := make(chan struct{})
	left.Store(int64(handlers))
	for range handlers {
		told := 0
		s.hear(ResourceEventHandlerFuncs[*item]{UpdateFunc: func(_, _ *item) {
			if told++; told == b.N && left.Add(-1) == 0 {
				close(done)
			}
		}}, HandlerOptions{MaxPending: -1})
	}
	s.start()
	snapshot, obj := s.store.Snapshot(), &item{key: "a", version: 2}
	batch := make([]notification[*item], size)
	for i := range batch {
		batch[i] = notification[*item]{kind: updated, key: "a", old: obj, new: obj}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += size {
		s.distribute(batch[:min(size, b.N-n)], snapshot)
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*handlers), "ns/each")
	stops(b, s.processor)
}

// BenchmarkMerging is one notification for a handler that does not return.
func BenchmarkMerging(b *testing.B) {
	s := newStage(b)
	gate := make(chan struct{})
	s.hear(&ears{before: func(string) { <-gate }}, HandlerOptions{})
	s.start()
	snapshot := s.store.Snapshot()
	batch := make([]notification[*item], 1000)
	for i := range batch {
		obj := &item{key: fmt.Sprintf("namespace/pod-%d", i)}
		batch[i] = notification[*item]{kind: updated, key: obj.key, old: obj, new: obj}
	}
	s.distribute(batch, snapshot)
	s.distribute(batch, snapshot)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += 100 {
		from := n % 1000
		s.distribute(batch[from:from+min(100, b.N-n)], snapshot)
	}
	b.StopTimer()
	s.listeners[0].over.Store(true)
	close(gate)
	stops(b, s.processor)
}
