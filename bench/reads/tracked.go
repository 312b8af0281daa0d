package reads

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// objectKey returns the key of the i-th object of an informer in memory.
func objectKey(i int) string { return fmt.Sprintf("namespace/certificate-%06d", i) }

// inMemory returns an informer whose source has the objects in memory.
func inMemory(objects int) *informer.SharedInformer[*rest.SlimMeta] {
	return informer.New(&listwatch.ListWatch[*rest.SlimMeta]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*rest.SlimMeta], error) {
			items := make([]*rest.SlimMeta, objects)
			for i := range items {
				items[i] = &rest.SlimMeta{Namespace: "namespace", Name: objectKey(i)[len("namespace/"):], UID: types.UID(strconv.Itoa(i)), ResourceVersion: strconv.Itoa(i + 1)}
			}
			return rest.ListOf(strconv.Itoa(objects+1), items...), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*rest.SlimMeta], error) {
			return rest.NewWatch(func(ctx context.Context) (rest.Event[*rest.SlimMeta], error) {
				<-ctx.Done()
				return rest.Event[*rest.SlimMeta]{}, ctx.Err()
			}, func() {}), nil
		},
	}, informer.Options[*rest.SlimMeta]{Name: "objects", PreferList: true})
}

// A readingLoop is a controller with one worker, whose reconciles read some objects of an
// informer each.
type readingLoop struct {
	*running
	informer *informer.SharedInformer[*rest.SlimMeta]
	requests int
	// each is the number of objects that a reconcile reads. No two requests read the same
	// object.
	each    int
	tracked atomic.Bool
	// inReads is the time that the reconciles have spent in their reads, in nanoseconds.
	inReads atomic.Int64
	left    atomic.Int64
	all     chan struct{}
	queue   chan controller.Request
}

func newReadingLoop(requests, each int) *readingLoop {
	l := &readingLoop{informer: inMemory(requests * each), requests: requests, each: each, all: make(chan struct{}), queue: make(chan controller.Request, 1000)}
	c := controller.New("reads", controller.Func(l.reconcile), controller.Options{MaxConcurrentReconciles: 1})
	controller.Channel(c, l.queue)
	controller.Reads(c, l.informer)
	informerEnds := run(l.informer.Run)
	check(l.informer.WaitForSync(context.Background()))
	l.running = run(func(ctx context.Context) error {
		defer informerEnds.stop()
		return c.Run(ctx)
	})
	return l
}

func (l *readingLoop) reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	first := must(strconv.Atoi(req.Name)) * l.each
	keys := make([]string, l.each)
	for i := range keys {
		keys[i] = objectKey(first + i)
	}
	began := time.Now()
	found := 0
	if l.tracked.Load() {
		for _, key := range keys {
			if _, ok, err := controller.Get(ctx, l.informer, key); ok && err == nil {
				found++
			}
		}
	} else {
		for _, key := range keys {
			if _, ok := l.informer.Get(key); ok {
				found++
			}
		}
	}
	l.inReads.Add(int64(time.Since(began)))
	if found != l.each {
		panic(fmt.Sprintf("%d of %d objects were read", found, l.each))
	}
	if l.left.Add(-1) == 0 {
		l.all <- struct{}{}
	}
	return controller.Result{}, nil
}

// cost is the cost of some passes.
type cost struct{ inReads, wall, allocs float64 }

// per returns the difference between two costs, for each of n reads.
func (c cost) per(n float64, other cost) cost {
	return cost{(c.inReads - other.inReads) / n, (c.wall - other.wall) / n, (c.allocs - other.allocs) / n}
}

func (c cost) plus(other cost) cost {
	return cost{c.inReads + other.inReads, c.wall + other.wall, c.allocs + other.allocs}
}

// pass reconciles all requests once, with tracked or plain reads.
func (l *readingLoop) pass(tracked bool) cost {
	l.tracked.Store(tracked)
	l.inReads.Store(0)
	l.left.Store(int64(l.requests))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	for i := range l.requests {
		l.queue <- controller.Request{Namespace: "namespace", Name: strconv.Itoa(i)}
	}
	<-l.all
	wall := time.Since(began)
	runtime.ReadMemStats(&after)
	return cost{float64(l.inReads.Load()), float64(wall), float64(after.Mallocs - before.Mallocs)}
}

// trackedGet returns a side that measures controller.Get in a reconcile beyond the Get of
// the informer: in a reconcile that reads ten objects, and in one that reads one.
func trackedGet() harness.Side {
	return func(m *harness.Meter) {
		passes := 20
		if m.IsShort() {
			passes = 2
		}
		for _, each := range []int{10, 1} {
			l := newReadingLoop(1_000, each)
			var plain, tracked cost
			_, _ = l.pass(false), l.pass(true) // the first tracked reads begin the tracking
			for range passes {
				plain = plain.plus(l.pass(false))
				_ = l.pass(true) // the requests have no dependencies after a plain pass
				tracked = tracked.plus(l.pass(true))
			}
			l.stop()
			reads := float64(passes * l.requests * each)
			beyond := tracked.per(reads, plain)
			if each == 10 {
				m.Report("", beyond.inReads)
				m.Report("with-loop", beyond.wall)
				m.ReportIn("allocs", "allocs", beyond.allocs)
				m.Report("plain", plain.inReads/reads)
			} else {
				m.Report("alone", beyond.inReads)
				m.Report("alone/with-loop", beyond.wall)
				m.ReportIn("allocs", "alone/allocs", beyond.allocs)
			}
		}
	}
}

// dependencies returns a side that measures the memory of each dependency of 100,000
// (5,000 if rounds are short): the live heap after tracked reads, less that after plain
// ones. A request has ten dependencies, one, or all of them.
func dependencies() harness.Side {
	return func(m *harness.Meter) {
		n := 100_000
		if m.IsShort() {
			n = 5_000
		}
		for _, each := range []int{10, 1, n} {
			l := newReadingLoop(n/each, each)
			l.pass(false)
			before := process.Live()
			l.pass(true)
			after := process.Live()
			runtime.KeepAlive(l)
			l.stop()
			name := map[int]string{10: "", 1: "alone", n: "one-request"}[each]
			m.Report(name, float64(after-before)/float64(n))
		}
	}
}
