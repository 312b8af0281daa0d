package stack

import (
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
	"weak"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/pods"
)

// relisted has the results of a relist of unchanged objects.
type relisted struct {
	// Peak is the maximum of the live heap, relative to the heap before.
	Peak float64
	// Called counts the callbacks. Replaced counts the objects whose pointer in the
	// store has changed.
	Called, Replaced int64
}

// relist makes the watch expire, and waits until everything has been stored and
// delivered. In the meantime it collects the heap in a loop.
func relist(q question, informer informer, t *tally) (r relisted) {
	known := map[weak.Pointer[corev1.Pod]]bool{}
	informer.Each(func(object any) { known[weak.Make(object.(*corev1.Pod))] = true })
	calls := t.updated.Load() + t.added.Load()
	before := liveAtCollection()
	end := make(chan struct{})
	peak := make(chan uint64)
	go func() { peak <- sampled(end) }()

	// One event after the relist: when it is delivered, all previous ones are.
	last := strconv.Itoa(pods.VersionAfterExpiry + 1)
	t.last.Store(&last)
	control(q, "expire")
	control(q, "send?events=1")
	<-t.reached

	close(end)
	r.Peak = float64(<-peak) / float64(before)
	r.Called = t.updated.Load() + t.added.Load() - calls - 1
	informer.Each(func(object any) {
		if pod := object.(*corev1.Pod); !known[weak.Make(pod)] && pod.ResourceVersion != last {
			r.Replaced++
		}
	})
	return r
}

// sampled forces collections for half of the time until end is closed, and returns the
// maximum of the live heap.
func sampled(end <-chan struct{}) (peak uint64) {
	for {
		began := time.Now()
		peak = max(peak, liveAtCollection())
		select {
		case <-end:
			return peak
		case <-time.After(time.Since(began)):
		}
	}
}

// liveAtCollection collects the heap and returns the bytes that the collection has
// marked.
func liveAtCollection() uint64 {
	runtime.GC()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}
