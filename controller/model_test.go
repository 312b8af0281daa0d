package controller

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

var (
	modelSeed  = flag.Uint64("model.seed", 0, "run the model test with this seed only and log every step")
	modelSeeds = flag.Uint64("model.seeds", 300, "number of seeds of the model test")
)

// With random changes, failures, panics, delays, slow reconciles and restarts, a key is
// never reconciled twice at once, every key is reconciled after its last change, and every
// failure and RequeueAfter is followed by another reconcile.
func TestModel(t *testing.T) {
	first, last := uint64(1), *modelSeeds
	if *modelSeed != 0 {
		first, last = *modelSeed, *modelSeed
	}
	for seed := first; seed <= last && !t.Failed(); seed++ {
		synctest.Test(t, func(t *testing.T) { newModel(t, seed).run() })
		if t.Failed() {
			t.Logf("run again: go test ./controller -run TestModel -model.seed=%d", seed)
		}
	}
}

// model runs a controller with random input and stores the last reconcile of each key.
type model struct {
	*testing.T
	*fakeSource
	seed    uint64
	c       *Controller
	stopRun func(cause error)
	ended   chan error

	mu     sync.Mutex
	random *rand.Rand
	// healthy is set when all further reconciles succeed.
	healthy bool
	// active holds the keys that are being reconciled.
	active map[Request]bool
	last   map[Request]lastReconcile
}

// look is the last reconcile of a key.
type lastReconcile struct {
	version string // of the object at the start, "" if there was none
	ended   time.Time
	outcome string
	due     time.Duration
}

func newModel(t *testing.T, seed uint64) *model {
	m := &model{
		T: t, fakeSource: newFakeSource("a", "b", "n/c"), seed: seed, random: rand.New(rand.NewPCG(seed, 1)),
		active: map[Request]bool{}, last: map[Request]lastReconcile{},
	}
	o := Options{
		MaxConcurrentReconciles: 1 + m.random.IntN(4),
		Backoff:                 Backoff{Base: 10 * time.Millisecond, Max: time.Second},
		MaxPanics:               1 + m.random.IntN(3),
		StopTimeout:             time.Duration(1+m.random.IntN(100)) * time.Millisecond,
		Logger:                  (&logRecorder{}).logger(0),
	}
	if m.random.IntN(2) == 0 {
		o.ResyncPeriod = time.Duration(1+m.random.IntN(1000)) * time.Millisecond
	}
	if m.random.IntN(4) == 0 {
		o.ReconcileTimeout = 20 * time.Millisecond
	}
	m.c = New("model", Func(m.reconcile), o)
	return m
}

func (m *model) log(format string, args ...any) {
	if *modelSeed != 0 {
		m.Logf("%v "+format, append([]any{time.Now().Format("04:05.000")}, args...)...)
	}
}

func (m *model) reconcile(ctx context.Context, req Request) (result Result, err error) {
	books := m.c.watches[0].keySource.(*Watch[*book]).inf
	l := lastReconcile{}
	if b, ok := books.Get(req.String()); ok {
		l.version = b.ResourceVersion
	}
	m.mu.Lock()
	if m.active[req] {
		m.Errorf("%v is reconciled twice at once", req)
	}
	m.active[req] = true
	outcome, wait := m.random.IntN(12), time.Duration(m.random.IntN(30))*time.Millisecond
	if m.healthy {
		outcome, wait = 0, time.Millisecond
	}
	respectsContext := m.random.IntN(2) == 0
	m.mu.Unlock()
	m.log("%v starts at version %q", req, l.version)
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.active, req)
		l.ended = time.Now()
		m.last[req] = l
		m.log("%v: %s", req, l.outcome)
	}()
	if respectsContext {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	} else {
		time.Sleep(wait)
	}
	switch outcome {
	case 0, 1, 2, 3, 4:
		l.outcome = "succeeded"
	case 5, 6:
		l.outcome, l.due = "delayed", time.Duration(1+outcome)*5*time.Millisecond
		return Result{RequeueAfter: l.due}, nil
	case 7, 8:
		l.outcome = "failed"
		return Result{}, errors.New("failed")
	case 9:
		l.outcome = "terminal"
		return Result{}, TerminalError(errors.New("invalid spec"))
	case 10:
		l.outcome = "panicked"
		panic("broken")
	case 11:
		l.outcome = "panicked"
		runtime.Goexit()
	}
	return Result{}, nil
}

// startRun starts Run.
func (m *model) startRun() {
	leading, lose := context.WithCancelCause(context.Background())
	ctx, stop := context.WithCancel(WithLeading(leading, leading))
	m.ended = make(chan error, 1)
	m.stopRun = func(cause error) {
		if cause != nil {
			lose(cause)
		}
		stop()
	}
	go func(ended chan<- error) { ended <- m.c.Run(ctx) }(m.ended)
}

// endRun stops Run. If cause is not nil, the leadership ends with it.
func (m *model) endRun(cause error) {
	m.log("end of the run: %v", cause)
	m.stopRun(cause)
	if err := <-m.ended; err != nil {
		m.Errorf("Run: %v", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.active) > 0 {
		m.Errorf("Run has returned, and these keys are still being reconciled: %v", m.active)
	}
	m.last = map[Request]lastReconcile{} // the next run enqueues all keys
}

func (m *model) run() {
	books, _ := m.runInformer(m.T)
	For(m.c, books)
	keys := []string{"a", "b", "n/c", "n/d", "e"}
	m.startRun()
	for i := range 80 {
		m.mu.Lock()
		action, key, wait := m.random.IntN(20), keys[m.random.IntN(len(keys))], time.Duration(m.random.IntN(60))*time.Millisecond
		m.mu.Unlock()
		switch {
		case action < 10:
			m.log("put %s", key)
			m.put(key, i)
		case action < 12:
			m.log("remove %s", key)
			m.remove(key)
		case action == 12:
			m.endRun(nil)
			m.startRun()
		case action == 13:
			m.endRun(ErrNotLeading)
			m.startRun()
		default:
			time.Sleep(wait)
		}
	}
	m.mu.Lock()
	m.healthy = true
	m.mu.Unlock()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	m.check(keys)
	m.endRun(nil)
}

// check reports errors in the state at the end, when the controller is idle.
func (m *model) check(keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	quarantined := map[Request]bool{}
	for _, f := range m.c.State().Quarantined {
		quarantined[f.Request] = true
	}
	for _, key := range keys {
		req, version := Request{Name: key}, ""
		if _, err := fmt.Sscanf(key, "n/%s", &req.Name); err == nil {
			req.Namespace = "n"
		}
		m.fakeSource.mu.Lock()
		if b, ok := m.books[key]; ok {
			version = b.ResourceVersion
		}
		m.fakeSource.mu.Unlock()
		l, ok := m.last[req]
		if version != "" && !ok || l.version != version {
			m.Errorf("%v was last reconciled at version %q; it is at %q", req, l.version, version)
		}
		if l.outcome == "failed" || l.outcome == "delayed" || l.outcome == "panicked" && !quarantined[req] {
			m.Errorf("%v %s at %v and was not reconciled again", req, l.outcome, l.ended)
		}
	}
	s, resyncs := m.c.State(), m.c.options.ResyncPeriod > 0
	if s.RetryingCount != 0 || !s.Synced || !resyncs && (s.Queued != 0 || len(s.Working) != 0) {
		m.Errorf("the controller is not idle: %+v", s)
	}
}

// 10,000 keys that change at once are each reconciled once, and no worker is idle
// meanwhile.
func TestManyKeysKeepAllWorkersBusy(t *testing.T) {
	const n, workers = 10_000, 8
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("a/%d", i))
	}
	var mu sync.Mutex
	count := map[Request]int{}
	runTestController(t, Options{MaxConcurrentReconciles: workers}, func(_ *testController, _ context.Context, req Request) (Result, error) {
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		count[req]++
		return Result{}, nil
	}, func(tc *testController) {
		tc.sleep(time.Minute)
		clear(count)
		begin, done := time.Now(), tc.c.State().Reconciles+n
		for _, name := range names {
			tc.put(name, 1)
		}
		for tc.c.State().Reconciles < done {
			time.Sleep(time.Millisecond)
		}
		assert.InDelta(t, n/workers*time.Millisecond, time.Since(begin), float64(2*time.Millisecond))
		tc.sleep(time.Minute)
		assert.Len(t, count, n)
		for req, times := range count {
			if times != 1 {
				t.Errorf("%v was reconciled %d times", req, times)
			}
		}
	}, names...)
}
