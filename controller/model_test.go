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
	modelSeed  = flag.Uint64("model.seed", 0, "run the model test with this seed only, and log every step")
	modelSeeds = flag.Uint64("model.seeds", 300, "how many seeds the model test runs")
)

// Random changes, failures, panics, delays, slow reconciles and restarts: a key
// is never reconciled twice at once, every key that was changed is reconciled
// after its last change, and none is left with a failure that was to be retried
// or a delay that has passed.
func TestModel(t *testing.T) {
	first, last := uint64(1), *modelSeeds
	if *modelSeed != 0 {
		first, last = *modelSeed, *modelSeed
	}
	for seed := first; seed <= last && !t.Failed(); seed++ {
		synctest.Test(t, func(t *testing.T) { newModel(t, seed).play() })
		if t.Failed() {
			t.Logf("repeat with: go test ./controller -run TestModel -model.seed=%d", seed)
		}
	}
}

// model is what is known of each key beside the controller.
type model struct {
	*testing.T
	*shelf
	seed    uint64
	c       *Controller
	stopRun func(cause error)
	ended   chan error

	mu     sync.Mutex
	random *rand.Rand
	// healed: reconciles succeed from now on.
	healed bool
	// active are in a reconcile now.
	active map[Request]bool
	last   map[Request]look
}

// look is the last reconcile of a key.
type look struct {
	version string // of the object when it began, "" if there was none
	ended   time.Time
	outcome string
	due     time.Duration
}

func newModel(t *testing.T, seed uint64) *model {
	m := &model{
		T: t, shelf: newShelf("a", "b", "n/c"), seed: seed, random: rand.New(rand.NewPCG(seed, 1)),
		active: map[Request]bool{}, last: map[Request]look{},
	}
	o := Options{
		MaxConcurrentReconciles: 1 + m.random.IntN(4),
		Backoff:                 Backoff{Base: 10 * time.Millisecond, Max: time.Second},
		MaxPanics:               1 + m.random.IntN(3),
		StopTimeout:             time.Duration(1+m.random.IntN(100)) * time.Millisecond,
		Logger:                  (&logs{}).logger(0),
	}
	if m.random.IntN(2) == 0 {
		o.Sweep = time.Duration(1+m.random.IntN(1000)) * time.Millisecond
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
	books := m.c.watches[0].(*watch[*book]).inf
	l := look{}
	if b, ok := books.Get(req.String()); ok {
		l.version = b.ResourceVersion
	}
	m.mu.Lock()
	if m.active[req] {
		m.Errorf("%v is reconciled twice at once", req)
	}
	m.active[req] = true
	outcome, wait := m.random.IntN(12), time.Duration(m.random.IntN(30))*time.Millisecond
	if m.healed {
		outcome, wait = 0, time.Millisecond
	}
	heeds := m.random.IntN(2) == 0
	m.mu.Unlock()
	m.log("%v begins at version %q", req, l.version)
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.active, req)
		l.ended = time.Now()
		m.last[req] = l
		m.log("%v: %s", req, l.outcome)
	}()
	if heeds {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	} else {
		time.Sleep(wait)
	}
	switch outcome {
	case 0, 1, 2, 3, 4:
		l.outcome = "well"
	case 5, 6:
		l.outcome, l.due = "delayed", time.Duration(1+outcome)*5*time.Millisecond
		return Result{RequeueAfter: l.due}, nil
	case 7, 8:
		l.outcome = "failed"
		return Result{}, errors.New("no ink")
	case 9:
		l.outcome = "given up"
		return Result{}, TerminalError(errors.New("not in this language"))
	case 10:
		l.outcome = "panicked"
		panic("ink")
	case 11:
		l.outcome = "panicked"
		runtime.Goexit()
	}
	return Result{}, nil
}

// begin runs the controller, end ends its run.
func (m *model) begin() {
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

func (m *model) end(cause error) {
	m.log("end: %v", cause)
	m.stopRun(cause)
	if err := <-m.ended; err != nil {
		m.Errorf("Run: %v", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.active) > 0 {
		m.Errorf("after the end of Run these go on: %v", m.active)
	}
	m.last = map[Request]look{} // what was to come comes anew with the next run
}

func (m *model) play() {
	books, _ := m.read(m.T)
	For(m.c, books)
	keys := []string{"a", "b", "n/c", "n/d", "e"}
	m.begin()
	for i := range 80 {
		m.mu.Lock()
		what, key, wait := m.random.IntN(20), keys[m.random.IntN(len(keys))], time.Duration(m.random.IntN(60))*time.Millisecond
		m.mu.Unlock()
		switch {
		case what < 10:
			m.log("put %s", key)
			m.put(key, i)
		case what < 12:
			m.log("remove %s", key)
			m.remove(key)
		case what == 12:
			m.end(nil)
			m.begin()
		case what == 13:
			m.end(ErrNotLeading)
			m.begin()
		default:
			time.Sleep(wait)
		}
	}
	m.mu.Lock()
	m.healed = true
	m.mu.Unlock()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	m.check(keys)
	m.end(nil)
}

// check is done when all has come to rest.
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
		m.shelf.mu.Lock()
		if b, ok := m.books[key]; ok {
			version = b.ResourceVersion
		}
		m.shelf.mu.Unlock()
		l, ok := m.last[req]
		if version != "" && !ok || l.version != version {
			m.Errorf("%v was reconciled last at version %q, and is at %q", req, l.version, version)
		}
		if l.outcome == "failed" || l.outcome == "delayed" || l.outcome == "panicked" && !quarantined[req] {
			m.Errorf("%v %s at %v, and has not come again", req, l.outcome, l.ended)
		}
	}
	s, sweeps := m.c.State(), m.c.options.Sweep > 0
	if s.RetryingCount != 0 || !s.Synced || !sweeps && (s.Queued != 0 || len(s.Working) != 0) {
		m.Errorf("it is not at rest: %+v", s)
	}
}

// Of 10,000 keys that change at once each is reconciled once, and the workers
// are never idle meanwhile.
func TestManyKeysAtOnce(t *testing.T) {
	const n, workers = 10_000, 8
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("a/%d", i))
	}
	var mu sync.Mutex
	count := map[Request]int{}
	atDesk(t, Options{MaxConcurrentReconciles: workers}, func(_ *desk, _ context.Context, req Request) (Result, error) {
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		count[req]++
		return Result{}, nil
	}, func(d *desk) {
		d.after(time.Minute)
		clear(count)
		begin, done := time.Now(), d.c.State().Reconciles+n
		for _, name := range names {
			d.put(name, 1)
		}
		for d.c.State().Reconciles < done {
			time.Sleep(time.Millisecond)
		}
		assert.InDelta(t, n/workers*time.Millisecond, time.Since(begin), float64(2*time.Millisecond))
		d.after(time.Minute)
		assert.Len(t, count, n)
		for req, times := range count {
			if times != 1 {
				t.Errorf("%v was reconciled %d times", req, times)
			}
		}
	}, names...)
}
