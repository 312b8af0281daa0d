package memory

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/interop/objects"
)

// keys is the number of objects that are updated.
const keys = 1_000

// stalled returns a side of stalled/1m: a handler that does not return from its first
// call while updates arrive. The side that keeps all updates receives fewer, and its
// memory is multiplied accordingly.
func stalled(open opener[*corev1.Pod], updates, times int) harness.Side {
	return func(m *harness.Meter) {
		s := &stall{updates: updates, release: make(chan struct{})}
		if m.IsShort() {
			s.updates = min(updates, 20_000)
		}
		for i := range keys {
			s.pods = append(s.pods, objects.Pod(i))
		}
		s.measure(open)
		m.Report("", float64(s.most)/1e6*float64(times))
		m.ReportIn("calls", "callbacks", float64(s.calls.Load()))
	}
}

type stall struct {
	pods    []*corev1.Pod
	updates int
	release chan struct{}
	// before is the live heap before the first update. most is the maximum of what was
	// added to it.
	before, most int64
	calls        atomic.Int64
	// right counts the pods whose last state the handler has received.
	right atomic.Int64
}

func (s *stall) measure(open opener[*corev1.Pod]) {
	source := &script[*corev1.Pod]{list: s.pods, updates: s.updates, update: s.update, begin: make(chan struct{})}
	i := open(source, true, []func(*corev1.Pod){s.handle})
	defer i.Close()
	s.before = process.Live()
	close(source.begin)
	stored(i, s.pod(s.updates-1))
	s.sampleHeap()
	close(s.release)
	for began := time.Now(); s.right.Load() != keys; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			panic(fmt.Sprintf("the handler has seen the last state of %d pods of %d", s.right.Load(), keys))
		}
	}
}

// update returns the i-th update. It measures the live heap ten times in total.
func (s *stall) update(i int) *corev1.Pod {
	if i > 0 && i%(s.updates/10) == 0 {
		s.sampleHeap()
	}
	return s.pod(i).DeepCopy()
}

// pod returns the i-th update. It shares memory with other updates of the same pod.
func (s *stall) pod(i int) *corev1.Pod {
	pod := *s.pods[i%keys]
	pod.ResourceVersion = strconv.Itoa(300_000_000 + i)
	return &pod
}

func (s *stall) sampleHeap() { s.most = max(s.most, process.Live()-s.before) }

func (s *stall) handle(pod *corev1.Pod) {
	s.calls.Add(1)
	<-s.release
	version, err := strconv.Atoi(pod.ResourceVersion)
	must(err)
	if version >= 300_000_000+s.updates-keys {
		s.right.Add(1)
	}
}
