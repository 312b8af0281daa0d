package informer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A checkingHandler checks each callback against the states that it has received.
type checkingHandler struct {
	o     HandlerOptions
	r     *Registration
	first int // the number of changes before it was added
	pause func()

	mu       sync.Mutex
	known    map[string]*item
	calls    []string
	resyncs  int
	running  bool
	finished chan struct{} // closed by a callback for the key "end"
	failures []string
}

func newCheckingHandler(o HandlerOptions, pause func()) *checkingHandler {
	return &checkingHandler{o: o, pause: pause, known: map[string]*item{}, finished: make(chan struct{})}
}

func (w *checkingHandler) merges() bool { return w.o.MaxPending >= 0 }

func (w *checkingHandler) callback(what string, body func()) {
	w.mu.Lock()
	if w.running {
		w.failf("%s began while another callback runs", what)
	}
	w.running = true
	w.mu.Unlock()
	w.pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	body()
}

func (w *checkingHandler) failf(format string, args ...any) {
	w.failures = append(w.failures, w.o.Name+": "+fmt.Sprintf(format, args...))
}

func (w *checkingHandler) OnAdd(obj *item, initial bool) {
	w.callback("OnAdd", func() {
		if was := w.known[obj.key]; was != nil {
			w.failf("%s was added, but %s is known", obj, was)
		}
		if initial && w.r.HasSynced() {
			w.failf("%s was added as part of the initial list after the handler had synced", obj)
		}
		w.known[obj.key] = obj
		w.calls = append(w.calls, "add "+obj.String())
		if obj.key == "end" {
			close(w.finished)
		}
	})
}

func (w *checkingHandler) OnUpdate(old, new *item) {
	w.callback("OnUpdate", func() {
		if was := w.known[old.key]; was != old {
			w.failf("update from %s to %s, but %v is known", old, new, was)
		}
		if old == new {
			w.resyncs++
			return
		}
		w.known[old.key] = new
		w.calls = append(w.calls, "update "+new.String())
	})
}

func (w *checkingHandler) OnDelete(obj *item, _ bool) {
	w.callback("OnDelete", func() {
		if was := w.known[obj.key]; was == nil || was != obj && !w.merges() {
			w.failf("%s was deleted, but %v is known", obj, was)
		}
		delete(w.known, obj.key)
		w.calls = append(w.calls, "delete "+obj.String())
	})
}

// A randomRun is a testProcessor with handlers and a random writer.
type randomRun struct {
	*testProcessor
	random      *rand.Rand
	handlers    []*checkingHandler
	distributed []string // all distributed notifications
	batches     int
}

func newRandomRun(t *testing.T, seed uint64) *randomRun {
	return &randomRun{testProcessor: newTestProcessor(t), random: rand.New(rand.NewPCG(seed, 7))}
}

func (r *randomRun) add(o HandlerOptions, pause func()) {
	w := newCheckingHandler(o, pause)
	w.o.Name = fmt.Sprintf("handler %d, added after %d changes, %+v", len(r.handlers), len(r.distributed), o)
	w.first = len(r.distributed)
	w.mu.Lock() // until it has its registration
	w.r = r.addHandler(w, w.o)
	w.mu.Unlock()
	r.handlers = append(r.handlers, w)
}

// removeOne removes a random handler and waits for its last callback.
func (r *randomRun) removeOne() {
	if len(r.handlers) < 2 {
		return
	}
	i := r.random.IntN(len(r.handlers))
	gone := r.handlers[i].r
	gone.Remove()
	<-gone.Done()
	r.handlers = slices.Delete(r.handlers, i, i+1)
}

// write distributes a random batch; the third batch ends the initial list.
func (r *randomRun) write() {
	var batch []notification[*item]
	for range 1 + r.random.IntN(6)*r.random.IntN(6) {
		key := fmt.Sprint("k", r.random.IntN(12))
		if _, exists := r.store.Get(key); exists && r.random.IntN(4) == 0 {
			key = "-" + key
		}
		n := r.change(key)
		r.distributed = append(r.distributed, n.kind.String()+" "+n.new.String())
		batch = append(batch, n)
	}
	if r.batches++; r.batches == 3 {
		batch = append(batch, notification[*item]{kind: synced})
	}
	r.distribute(batch, r.store.Snapshot())
}

// finish writes the key "end", for which every handler waits.
func (r *randomRun) finish() {
	r.distributed = append(r.distributed, fmt.Sprintf("add end%d", r.version+1))
	r.apply("end")
}

// check compares the states that the handlers have received with the store.
func (r *randomRun) check() {
	r.t.Helper()
	want := map[string]*item{}
	for obj := range r.store.All() {
		want[obj.key] = obj
	}
	r.processor.mu.Lock()
	if n := len(r.removing); n != 0 {
		r.t.Errorf("%d removed handlers have not ended", n)
	}
	r.processor.mu.Unlock()
	states := r.states()
	for i, w := range r.handlers {
		w.mu.Lock()
		if len(w.failures) > 0 {
			r.t.Errorf("%d failures; the first: %s", len(w.failures), w.failures[0])
		}
		if !maps.Equal(w.known, want) {
			r.t.Errorf("%s has received %v, want %v", w.o.Name, w.known, want)
		}
		if !w.r.HasSynced() {
			r.t.Errorf("%s has not synced", w.o.Name)
		}
		if w.first == 0 {
			if got := len(w.calls) + int(states[i].Merged); got != len(r.distributed) {
				r.t.Errorf("%s: %d notifications were delivered or merged, want %d", w.o.Name, got, len(r.distributed))
			}
			if !w.merges() && !slices.Equal(w.calls, r.distributed) {
				r.t.Errorf("%s received %v, want %v", w.o.Name, w.calls, r.distributed)
			}
		}
		w.mu.Unlock()
	}
}

// Handlers with random speed, some of which merge, resync, are added late or are
// removed, each receive a legal history with the correct final state. Handlers that
// never merge receive all notifications; for the others the merged ones are counted.
func TestHandlersOfAnySpeedReceiveLegalHistories(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { atRandomSpeed(newRandomRun(t, seed)) })
		})
	}
}

func atRandomSpeed(r *randomRun) {
	resyncs := 0
	add := func() {
		slow := time.Duration(r.random.IntN(4)) * time.Millisecond
		pauses := rand.New(rand.NewPCG(r.random.Uint64(), 0))
		o := HandlerOptions{MaxPending: []int{-1, 1, 3, 10, 100}[r.random.IntN(5)]}
		if r.random.IntN(2) == 0 {
			o.ResyncPeriod = time.Duration(20+r.random.IntN(200)) * time.Millisecond
			resyncs++
		}
		r.add(o, func() { time.Sleep(time.Duration(pauses.Int64N(int64(slow + 1)))) })
	}
	for range 4 {
		add()
	}
	r.start()
	for range 150 {
		r.write()
		switch r.random.IntN(20) {
		case 0:
			add()
		case 1:
			r.removeOne()
		case 2, 3, 4:
			time.Sleep(time.Duration(r.random.IntN(60)) * time.Millisecond)
		default:
			time.Sleep(time.Duration(r.random.IntN(6)) * time.Millisecond)
		}
	}
	r.finish()
	for _, w := range r.handlers {
		<-w.finished
	}
	time.Sleep(time.Second)
	synctest.Wait()
	for _, w := range r.handlers {
		w.mu.Lock()
		if w.o.ResyncPeriod > 0 && w.resyncs == 0 {
			r.t.Errorf("%s received no resync", w.o.Name)
		}
		w.mu.Unlock()
	}
	r.check()
	if err := r.stop(); err != nil {
		r.t.Error(err)
	}
}

// The same as TestHandlersOfAnySpeedReceiveLegalHistories in real time, with all
// handlers in parallel.
func TestConcurrentHandlersReceiveLegalHistories(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { atFullSpeed(newRandomRun(t, seed)) })
	}
}

func atFullSpeed(r *randomRun) {
	add := func() {
		pauses := rand.New(rand.NewPCG(r.random.Uint64(), 0))
		slow := 1 + r.random.IntN(4)
		r.add(HandlerOptions{MaxPending: []int{-1, 1, 3, 10, 100}[r.random.IntN(5)]}, func() {
			for range pauses.IntN(slow) {
				runtime.Gosched()
			}
		})
	}
	for range 4 {
		add()
	}
	r.start()
	for range 400 {
		r.write()
		switch r.random.IntN(40) {
		case 0:
			add()
		case 1:
			r.removeOne()
		case 2:
			runtime.Gosched()
		}
		for _, s := range r.states() {
			if s.Pending < 0 {
				r.t.Errorf("%d pending", s.Pending)
			}
		}
	}
	r.finish()
	for _, w := range r.handlers {
		<-w.finished
		<-w.r.Synced()
	}
	r.check()
	if err := r.stop(); err != nil {
		r.t.Error(err)
	}
}
