package informer

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// BenchmarkFanout measures one notification for one handler: ns/op is the time from
// the first batch to the last callback, divided by the notifications and the handlers.
// Batches of 1 represent rare events, batches of 100 a busy watch.
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
	s := newTestProcessor(b)
	s.apply("a", "!")
	var left atomic.Int64
	done := make(chan struct{})
	left.Store(int64(handlers))
	for range handlers {
		calls := 0
		s.addHandler(ResourceEventHandlerFuncs[*item]{UpdateFunc: func(_, _ *item) {
			if calls++; calls == b.N && left.Add(-1) == 0 {
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
	requireStop(b, s.processor)
}

// BenchmarkMerging measures one notification for a blocked handler.
func BenchmarkMerging(b *testing.B) {
	s := newTestProcessor(b)
	gate := make(chan struct{})
	s.addHandler(&recorder{before: func(string) { <-gate }}, HandlerOptions{})
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
	s.listeners[0].stopped.Store(true)
	close(gate)
	requireStop(b, s.processor)
}
