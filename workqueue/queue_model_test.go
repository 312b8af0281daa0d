package workqueue

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var (
	modelSeed  = flag.Uint64("model.seed", 0, "run the model test with this seed only, and log every operation")
	modelSeeds = flag.Uint64("model.seeds", 0, "how many seeds the model test runs; 0: 1000, or 50 with -race")
)

const (
	modelOps      = 1000
	modelAge      = 20 * time.Millisecond
	modelShutdown = 1000 // greater than every key
)

// priorityQueue is the interface that the model test uses. Queues without
// priorities ignore them.
type priorityQueue interface {
	TypedRateLimitingInterface[int]
	AddWithPriority(item, priority int)
	ClearDirty(item int)
}

type withoutPriorities struct {
	TypedRateLimitingInterface[int]
}

func (q withoutPriorities) AddWithPriority(item, _ int) { q.Add(item) }
func (q withoutPriorities) ClearDirty(int)              {}

// wrappedQueue hides that the queue is a Typed.
type wrappedQueue struct{ TypedInterface[int] }

func (q wrappedQueue) Snapshot(limit int) Snapshot[int] {
	return q.TypedInterface.(*Typed[int]).Snapshot(limit)
}

func modelQueues() map[string]func(TypedRateLimiter[int]) priorityQueue {
	withDelays := func(queue TypedInterface[int], l TypedRateLimiter[int]) priorityQueue {
		return withoutPriorities{NewTypedRateLimitingQueueWithConfig(l, TypedRateLimitingQueueConfig[int]{
			DelayingQueue: NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[int]{Queue: queue}),
		})}
	}
	return map[string]func(TypedRateLimiter[int]) priorityQueue{
		"fifo": func(l TypedRateLimiter[int]) priorityQueue { return withoutPriorities{NewTypedRateLimitingQueue(l)} },
		"priority": func(l TypedRateLimiter[int]) priorityQueue {
			return NewPriorityQueue(PriorityQueueConfig[int]{RateLimiter: l, Age: modelAge})
		},
		"custom queue": func(l TypedRateLimiter[int]) priorityQueue {
			return withDelays(NewTypedWithConfig(TypedQueueConfig[int]{Queue: DefaultQueue[int]()}), l)
		},
		"wrapped queue": func(l TypedRateLimiter[int]) priorityQueue {
			return withDelays(wrappedQueue{NewTyped[int]()}, l)
		},
		"with metrics": func(l TypedRateLimiter[int]) priorityQueue {
			return withoutPriorities{NewTypedRateLimitingQueueWithConfig(l, TypedRateLimitingQueueConfig[int]{
				Name: "model", MetricsProvider: &fakeProvider{},
			})}
		},
	}
}

// TestQueueMatchesReference performs random operations on a queue and on a reference, and
// compares the results.
func TestQueueMatchesReference(t *testing.T) {
	seeds := *modelSeeds
	if seeds == 0 {
		seeds = 1000
		if raceEnabled {
			seeds = 50
		}
	}
	names := []string{"fifo", "priority", "custom queue", "wrapped queue", "with metrics"}
	queues := modelQueues()
	run := func(seed uint64) {
		name := names[seed%uint64(len(names))]
		synctest.Test(t, func(t *testing.T) {
			m := newModel(t, seed, name, queues[name])
			m.run()
			if t.Failed() {
				t.Logf("seed %d, %s: rerun with -run TestQueueMatchesReference -model.seed=%d", seed, name, seed)
			}
		})
	}
	if *modelSeed != 0 {
		run(*modelSeed)
		return
	}
	for seed := uint64(1); seed <= seeds && !t.Failed(); seed++ {
		run(seed)
	}
}

type model struct {
	t             *testing.T
	rand          *rand.Rand
	verbose       bool
	start         time.Time
	queue         priorityQueue
	reference     *referenceQueue
	hasPriorities bool          // and ClearDirty
	hasOrder      bool          // snapshots have the order of the waiting items
	waiters       int           // Gets that have not returned
	got           chan int      // results of Get; modelShutdown means shutdown
	wanted        []int         // expected results of Get
	drainers      int           // calls of ShutDownWithDrain that have not returned
	drained       chan struct{} // one value for each that has returned
	last          string
}

func newModel(t *testing.T, seed uint64, name string, newQueue func(TypedRateLimiter[int]) priorityQueue) *model {
	m := &model{
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), verbose: *modelSeed != 0,
		queue:         newQueue(NewTypedItemExponentialFailureRateLimiter[int](time.Millisecond, 64*time.Millisecond)),
		hasPriorities: name == "priority", hasOrder: name != "custom queue", start: time.Now(),
		got: make(chan int, 1000), drained: make(chan struct{}, 1000),
	}
	m.reference = newReferenceQueue(0)
	if m.hasPriorities {
		m.reference = newReferenceQueue(modelAge)
	}
	return m
}

func (m *model) run() {
	for op := 0; op < modelOps && !m.t.Failed(); op++ {
		m.step(op)
		synctest.Wait()
		m.compare()
	}
	// A queue that was shut down becomes empty and ends its workers.
	m.logOperation("ShutDown at the end")
	m.queue.ShutDown()
	m.reference.shutDown(false)
	synctest.Wait()
	m.compare()
	for !m.t.Failed() && !m.reference.idle() {
		for key := range m.reference.processing {
			m.queue.Done(key)
			m.reference.done(key)
		}
		m.get()
		synctest.Wait()
		m.compare()
	}
	if m.t.Failed() { // so that the synctest bubble ends
		for range m.waiters {
			m.queue.Done(0)
		}
	}
	if !m.t.Failed() && m.waiters+m.drainers != 0 {
		m.t.Errorf("%d calls of Get and %d of ShutDownWithDrain have not returned", m.waiters, m.drainers)
	}
}

func (m *model) logOperation(format string, args ...any) {
	m.last = fmt.Sprintf(format, args...)
	if m.verbose {
		m.t.Logf("%v %s", m.reference.now, m.last)
	}
}

func (m *model) step(op int) {
	key := m.rand.IntN(12)
	switch r := m.rand.IntN(100); {
	case r < 22:
		m.logOperation("Add %d", key)
		m.queue.Add(key)
		m.reference.add(key, 0)
	case r < 30:
		rank := 0
		if m.hasPriorities {
			rank = m.rand.IntN(7) - 3
		}
		m.logOperation("AddWithPriority %d %d", key, rank)
		m.queue.AddWithPriority(key, rank)
		m.reference.add(key, rank)
	case r < 38:
		d := time.Duration(m.rand.IntN(30)-3) * time.Millisecond
		m.logOperation("AddAfter %d %v", key, d)
		m.queue.AddAfter(key, d)
		m.reference.addAfter(key, d)
	case r < 46:
		m.logOperation("AddRateLimited %d", key)
		m.queue.AddRateLimited(key)
		m.reference.addRateLimited(key)
	case r < 50:
		m.logOperation("Forget %d", key)
		m.queue.Forget(key)
		delete(m.reference.fails, key)
	case r < 72:
		m.get()
	case r < 88:
		m.done(key)
	case r < 92 && m.hasPriorities:
		m.clearDirty(key)
	case r < 99:
		d := time.Duration(m.rand.IntN(12)) * time.Millisecond
		m.logOperation("advance %v", d)
		time.Sleep(d)
		m.reference.advance(d, m.serve)
	case op > modelOps*3/4:
		m.shutDown()
	}
}

func (m *model) get() {
	if len(m.reference.waiting) == 0 && !m.reference.endsWorkers() && m.waiters >= 5 {
		return
	}
	m.logOperation("Get")
	m.waiters++
	go func() {
		item, shutdown := m.queue.Get()
		if shutdown {
			item = modelShutdown
		}
		m.got <- item
	}()
}

// done calls Done for a random processed item, and sometimes for another one.
func (m *model) done(key int) {
	if m.rand.IntN(10) > 0 {
		var processing []int
		for k := range m.reference.processing {
			processing = append(processing, k)
		}
		if len(processing) > 0 {
			slices.Sort(processing)
			key = processing[m.rand.IntN(len(processing))]
		}
	}
	m.logOperation("Done %d", key)
	m.queue.Done(key)
	m.reference.done(key)
}

// clearDirty calls ClearDirty for a random dirty item, and sometimes for another one.
func (m *model) clearDirty(key int) {
	if dirty := slices.Sorted(maps.Keys(m.reference.again)); len(dirty) > 0 && m.rand.IntN(4) > 0 {
		key = dirty[m.rand.IntN(len(dirty))]
	}
	m.logOperation("ClearDirty %d", key)
	m.queue.ClearDirty(key)
	delete(m.reference.again, key)
}

func (m *model) shutDown() {
	if m.rand.IntN(4) == 0 {
		m.logOperation("ShutDown")
		m.queue.ShutDown()
		m.reference.shutDown(false)
		return
	}
	m.logOperation("ShutDownWithDrain")
	m.drainers++
	go func() {
		m.queue.ShutDownWithDrain()
		m.drained <- struct{}{}
	}()
	m.reference.shutDown(true)
}

// serve gives the waiting items of the reference to the waiting workers.
func (m *model) serve() {
	for m.waiters > 0 && len(m.reference.waiting) > 0 {
		m.expect(m.reference.get())
	}
}

func (m *model) expect(item int) {
	m.waiters--
	m.wanted = append(m.wanted, item)
}

func (m *model) compare() {
	t := m.reference
	m.serve()
	for m.waiters > 0 && t.endsWorkers() {
		m.expect(modelShutdown)
	}
	var got []int
	for len(m.got) > 0 {
		got = append(got, <-m.got)
	}
	slices.Sort(got)
	slices.Sort(m.wanted)
	if !slices.Equal(got, m.wanted) {
		m.t.Errorf("after %s: the workers received %v, want %v", m.last, got, m.wanted)
	}
	m.wanted = nil
	if t.drain && t.idle() {
		t.drain = false
	}
	if t.shut && !t.drain {
		if len(m.drained) != m.drainers {
			m.t.Errorf("after %s: %d of %d calls of ShutDownWithDrain have returned", m.last, len(m.drained), m.drainers)
		}
		for len(m.drained) > 0 {
			<-m.drained
			m.drainers--
		}
	} else if len(m.drained) > 0 {
		m.t.Errorf("after %s: ShutDownWithDrain returned with %v waiting and %v being processed", m.last, t.waiting, t.processing)
	}
	if n := m.queue.Len(); n != len(t.waiting) {
		m.t.Errorf("after %s: Len %d, want %d", m.last, n, len(t.waiting))
	}
	if s := m.queue.ShuttingDown(); s != t.shut {
		m.t.Errorf("after %s: ShuttingDown %v, want %v", m.last, s, t.shut)
	}
	key := m.rand.IntN(12)
	if n := m.queue.NumRequeues(key); n != t.fails[key] {
		m.t.Errorf("after %s: NumRequeues(%d) %d, want %d", m.last, key, n, t.fails[key])
	}
	m.compareSnapshot()
}

// compareSnapshot compares a snapshot, with a random limit, with the reference.
func (m *model) compareSnapshot() {
	var queue TypedInterface[int] = m.queue
	if hidden, ok := queue.(withoutPriorities); ok {
		queue = hidden.TypedRateLimitingInterface
	}
	limit := m.rand.IntN(14) - 1
	got, ok := SnapshotOf(queue, limit)
	want := m.reference.snapshot(m.start)
	switch {
	case !ok:
		m.t.Errorf("after %s: the queue has no snapshot", m.last)
	case got.WaitingCount != want.WaitingCount || got.ProcessingCount != want.ProcessingCount || got.DirtyCount != want.DirtyCount || got.DelayedCount != want.DelayedCount,
		!sameItems(got.Waiting, want.Waiting, limit, m.hasOrder),
		!sameItems(got.Processing, want.Processing, limit, false),
		!sameItems(got.Delayed, want.Delayed, limit, true):
		m.t.Errorf("after %s: Snapshot(%d):\n%+v\nwant the first items of\n%+v", m.last, limit, got, want)
	}
}

// sameItems reports whether got has the first items of want, up to the limit. Without
// order, it reports whether they are any distinct items of want.
func sameItems[E comparable](got, want []E, limit int, order bool) bool {
	n := len(want)
	if limit >= 0 {
		n = min(n, limit)
	}
	if order {
		return slices.Equal(got, want[:n])
	}
	distinct := map[E]bool{}
	for _, item := range got {
		distinct[item] = slices.Contains(want, item)
	}
	for _, known := range distinct {
		if !known {
			return false
		}
	}
	return len(got) == n && len(distinct) == n
}
