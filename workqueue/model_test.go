package workqueue

import (
	"flag"
	"fmt"
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
	modelOps = 1000
	modelAge = 20 * time.Millisecond
	modelTop = 1000 // no key is as high
)

// prioritized is what the model test drives: queues without priorities are
// given them all as 0.
type prioritized interface {
	TypedRateLimitingInterface[int]
	AddWithPriority(item, priority int)
}

type equals struct {
	TypedRateLimitingInterface[int]
}

func (q equals) AddWithPriority(item, _ int) { q.Add(item) }

// foreign hides that the queue is a Typed.
type foreign struct{ TypedInterface[int] }

func modelQueues() map[string]func(TypedRateLimiter[int]) prioritized {
	over := func(queue TypedInterface[int], l TypedRateLimiter[int]) prioritized {
		return equals{NewTypedRateLimitingQueueWithConfig(l, TypedRateLimitingQueueConfig[int]{
			DelayingQueue: NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[int]{Queue: queue}),
		})}
	}
	return map[string]func(TypedRateLimiter[int]) prioritized{
		"fifo": func(l TypedRateLimiter[int]) prioritized { return equals{NewTypedRateLimitingQueue(l)} },
		"priority": func(l TypedRateLimiter[int]) prioritized {
			return NewPriority(PriorityConfig[int]{RateLimiter: l, Age: modelAge})
		},
		"custom storage": func(l TypedRateLimiter[int]) prioritized {
			return over(NewTypedWithConfig(TypedQueueConfig[int]{Queue: DefaultQueue[int]()}), l)
		},
		"foreign queue": func(l TypedRateLimiter[int]) prioritized {
			return over(foreign{NewTyped[int]()}, l)
		},
		"measured": func(l TypedRateLimiter[int]) prioritized {
			return equals{NewTypedRateLimitingQueueWithConfig(l, TypedRateLimitingQueueConfig[int]{
				Name: "model", MetricsProvider: &fakeProvider{},
			})}
		},
	}
}

// TestModel: whatever the queue is asked, in whatever order, it answers as
// its twin does.
func TestModel(t *testing.T) {
	seeds := *modelSeeds
	if seeds == 0 {
		seeds = 1000
		if raceEnabled {
			seeds = 50
		}
	}
	names := []string{"fifo", "priority", "custom storage", "foreign queue", "measured"}
	queues := modelQueues()
	run := func(seed uint64) {
		name := names[seed%uint64(len(names))]
		synctest.Test(t, func(t *testing.T) {
			m := newModel(t, seed, name, queues[name])
			m.run()
			if t.Failed() {
				t.Logf("seed %d, %s: rerun with -run TestModel -model.seed=%d", seed, name, seed)
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
	t        *testing.T
	rand     *rand.Rand
	verbose  bool
	queue    prioritized
	twin     *twin
	ranks    bool
	waiters  int           // Gets that have not returned
	got      chan int      // what they returned; modelTop: sent home
	wanted   []int         // what they must have returned
	drainers int           // drains that have not returned
	drained  chan struct{} // one for each that has
	last     string
}

func newModel(t *testing.T, seed uint64, name string, make_ func(TypedRateLimiter[int]) prioritized) *model {
	m := &model{
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), verbose: *modelSeed != 0,
		queue: make_(NewTypedItemExponentialFailureRateLimiter[int](time.Millisecond, 64*time.Millisecond)),
		ranks: name == "priority",
		got:   make(chan int, 1000), drained: make(chan struct{}, 1000),
	}
	m.twin = newTwin(0)
	if m.ranks {
		m.twin = newTwin(modelAge)
	}
	return m
}

func (m *model) run() {
	for op := 0; op < modelOps && !m.t.Failed(); op++ {
		m.step(op)
		synctest.Wait()
		m.compare()
	}
	// Whatever came before, a shut queue empties and sends everybody home.
	m.say("the end")
	m.queue.ShutDown()
	m.twin.shutDown(false)
	synctest.Wait()
	m.compare()
	for !m.t.Failed() && !m.twin.idle() {
		for key := range m.twin.work {
			m.queue.Done(key)
			m.twin.done(key)
		}
		m.get()
		synctest.Wait()
		m.compare()
	}
	if m.t.Failed() { // let the bubble end
		for range m.waiters {
			m.queue.Done(0)
		}
	}
	if !m.t.Failed() && m.waiters+m.drainers != 0 {
		m.t.Errorf("%d workers and %d drainers are stuck", m.waiters, m.drainers)
	}
}

func (m *model) say(format string, args ...any) {
	m.last = fmt.Sprintf(format, args...)
	if m.verbose {
		m.t.Logf("%v %s", m.twin.now, m.last)
	}
}

func (m *model) step(op int) {
	key := m.rand.IntN(12)
	switch r := m.rand.IntN(100); {
	case r < 22:
		m.say("Add %d", key)
		m.queue.Add(key)
		m.twin.add(key, 0)
	case r < 30:
		rank := 0
		if m.ranks {
			rank = m.rand.IntN(7) - 3
		}
		m.say("AddWithPriority %d %d", key, rank)
		m.queue.AddWithPriority(key, rank)
		m.twin.add(key, rank)
	case r < 38:
		d := time.Duration(m.rand.IntN(30)-3) * time.Millisecond
		m.say("AddAfter %d %v", key, d)
		m.queue.AddAfter(key, d)
		m.twin.addAfter(key, d)
	case r < 46:
		m.say("AddRateLimited %d", key)
		m.queue.AddRateLimited(key)
		m.twin.addRateLimited(key)
	case r < 50:
		m.say("Forget %d", key)
		m.queue.Forget(key)
		delete(m.twin.fails, key)
	case r < 72:
		m.get()
	case r < 92:
		m.done(key)
	case r < 99:
		d := time.Duration(m.rand.IntN(12)) * time.Millisecond
		m.say("advance %v", d)
		time.Sleep(d)
		m.twin.advance(d, m.serve)
	case op > modelOps*3/4:
		m.shutDown()
	}
}

func (m *model) get() {
	if len(m.twin.line) == 0 && !m.twin.sendsHome() && m.waiters >= 5 {
		return
	}
	m.say("Get")
	m.waiters++
	go func() {
		item, shutdown := m.queue.Get()
		if shutdown {
			item = modelTop
		}
		m.got <- item
	}()
}

// done ends the work on some item, now and then on one that is not in work.
func (m *model) done(key int) {
	if m.rand.IntN(10) > 0 {
		var work []int
		for k := range m.twin.work {
			work = append(work, k)
		}
		if len(work) > 0 {
			slices.Sort(work)
			key = work[m.rand.IntN(len(work))]
		}
	}
	m.say("Done %d", key)
	m.queue.Done(key)
	m.twin.done(key)
}

func (m *model) shutDown() {
	if m.rand.IntN(4) == 0 {
		m.say("ShutDown")
		m.queue.ShutDown()
		m.twin.shutDown(false)
		return
	}
	m.say("ShutDownWithDrain")
	m.drainers++
	go func() {
		m.queue.ShutDownWithDrain()
		m.drained <- struct{}{}
	}()
	m.twin.shutDown(true)
}

// serve lets the twin give the waiting workers what there is.
func (m *model) serve() {
	for m.waiters > 0 && len(m.twin.line) > 0 {
		m.expect(m.twin.get())
	}
}

func (m *model) expect(item int) {
	m.waiters--
	m.wanted = append(m.wanted, item)
}

func (m *model) compare() {
	t := m.twin
	m.serve()
	for m.waiters > 0 && t.sendsHome() {
		m.expect(modelTop)
	}
	var got []int
	for len(m.got) > 0 {
		got = append(got, <-m.got)
	}
	slices.Sort(got)
	slices.Sort(m.wanted)
	if !slices.Equal(got, m.wanted) {
		m.t.Errorf("after %s: workers got %v, want %v", m.last, got, m.wanted)
	}
	m.wanted = nil
	if t.drain && t.idle() {
		t.drain = false
	}
	if t.shut && !t.drain {
		if len(m.drained) != m.drainers {
			m.t.Errorf("after %s: %d of %d drainers returned", m.last, len(m.drained), m.drainers)
		}
		for len(m.drained) > 0 {
			<-m.drained
			m.drainers--
		}
	} else if len(m.drained) > 0 {
		m.t.Errorf("after %s: a drain returned with %v in line and %v in work", m.last, t.line, t.work)
	}
	if n := m.queue.Len(); n != len(t.line) {
		m.t.Errorf("after %s: Len %d, want %d", m.last, n, len(t.line))
	}
	if s := m.queue.ShuttingDown(); s != t.shut {
		m.t.Errorf("after %s: ShuttingDown %v, want %v", m.last, s, t.shut)
	}
	key := m.rand.IntN(12)
	if n := m.queue.NumRequeues(key); n != t.fails[key] {
		m.t.Errorf("after %s: NumRequeues(%d) %d, want %d", m.last, key, n, t.fails[key])
	}
}
