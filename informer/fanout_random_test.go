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

// A witness checks what it is told, from one callback to the next, with what it
// knows by then.
type witness struct {
	o     HandlerOptions
	r     *Registration
	first int // how many changes there had been when it was added
	pause func()

	mu         sync.Mutex
	known      map[string]*item
	heard      []string
	resyncs    int
	running    bool
	finished   chan struct{} // closed when it is told of the key "end"
	complaints []string
}

func newWitness(o HandlerOptions, pause func()) *witness {
	return &witness{o: o, pause: pause, known: map[string]*item{}, finished: make(chan struct{})}
}

func (w *witness) merges() bool { return w.o.MaxPending >= 0 }

func (w *witness) callback(what string, body func()) {
	w.mu.Lock()
	if w.running {
		w.complain("%s while another callback runs", what)
	}
	w.running = true
	w.mu.Unlock()
	w.pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	body()
}

func (w *witness) complain(format string, args ...any) {
	w.complaints = append(w.complaints, w.o.Name+": "+fmt.Sprintf(format, args...))
}

func (w *witness) OnAdd(obj *item, initial bool) {
	w.callback("OnAdd", func() {
		if was := w.known[obj.key]; was != nil {
			w.complain("%s added, and %s is known", obj, was)
		}
		if initial && w.r.HasSynced() {
			w.complain("%s added in the initial list, and it is synced", obj)
		}
		w.known[obj.key] = obj
		w.heard = append(w.heard, "add "+obj.String())
		if obj.key == "end" {
			close(w.finished)
		}
	})
}

func (w *witness) OnUpdate(old, new *item) {
	w.callback("OnUpdate", func() {
		if was := w.known[old.key]; was != old {
			w.complain("%s becomes %s, and %v is known", old, new, was)
		}
		if old == new {
			w.resyncs++
			return
		}
		w.known[old.key] = new
		w.heard = append(w.heard, "update "+new.String())
	})
}

func (w *witness) OnDelete(obj *item, _ bool) {
	w.callback("OnDelete", func() {
		if was := w.known[obj.key]; was == nil || was != obj && !w.merges() {
			w.complain("%s deleted, and %v is known", obj, was)
		}
		delete(w.known, obj.key)
		w.heard = append(w.heard, "delete "+obj.String())
	})
}

// A trial is a stage with witnesses and a random writer.
type trial struct {
	*stage
	random    *rand.Rand
	witnesses []*witness
	said      []string // what a handler from the beginning that never merges hears
	batches   int
}

func newTrial(t *testing.T, seed uint64) *trial {
	return &trial{stage: newStage(t), random: rand.New(rand.NewPCG(seed, 7))}
}

func (r *trial) add(o HandlerOptions, pause func()) {
	w := newWitness(o, pause)
	w.o.Name = fmt.Sprintf("witness %d, at %d, %+v", len(r.witnesses), len(r.said), o)
	w.first = len(r.said)
	w.mu.Lock() // until it has its registration
	w.r = r.hear(w, w.o)
	w.mu.Unlock()
	r.witnesses = append(r.witnesses, w)
}

// removeOne removes any but one, and waits for its last callback.
func (r *trial) removeOne() {
	if len(r.witnesses) < 2 {
		return
	}
	i := r.random.IntN(len(r.witnesses))
	gone := r.witnesses[i].r
	gone.Remove()
	<-gone.Done()
	r.witnesses = slices.Delete(r.witnesses, i, i+1)
}

// write distributes a random batch; the third ends the initial list.
func (r *trial) write() {
	var batch []notification[*item]
	for range 1 + r.random.IntN(6)*r.random.IntN(6) {
		key := fmt.Sprint("k", r.random.IntN(12))
		if _, exists := r.store.Get(key); exists && r.random.IntN(4) == 0 {
			key = "-" + key
		}
		n := r.change(key)
		r.said = append(r.said, n.kind.String()+" "+n.new.String())
		batch = append(batch, n)
	}
	if r.batches++; r.batches == 3 {
		batch = append(batch, notification[*item]{kind: synced})
	}
	r.distribute(batch, r.store.Snapshot())
}

// finish writes the end, which every witness waits for.
func (r *trial) finish() {
	r.said = append(r.said, fmt.Sprintf("add end%d", r.version+1))
	r.apply("end")
}

// check compares what the witnesses know with what there is.
func (r *trial) check() {
	r.t.Helper()
	want := map[string]*item{}
	for obj := range r.store.All() {
		want[obj.key] = obj
	}
	r.processor.mu.Lock()
	if n := len(r.leaving); n != 0 {
		r.t.Errorf("%d handlers are leaving, and all are done", n)
	}
	r.processor.mu.Unlock()
	states := r.states()
	for i, w := range r.witnesses {
		w.mu.Lock()
		if len(w.complaints) > 0 {
			r.t.Errorf("%d complaints, the first is %s", len(w.complaints), w.complaints[0])
		}
		if !maps.Equal(w.known, want) {
			r.t.Errorf("%s knows %v, want %v", w.o.Name, w.known, want)
		}
		if !w.r.HasSynced() {
			r.t.Errorf("%s has not synced", w.o.Name)
		}
		if w.first == 0 {
			if got := len(w.heard) + int(states[i].Merged); got != len(r.said) {
				r.t.Errorf("%s was told or spared %d, want %d", w.o.Name, got, len(r.said))
			}
			if !w.merges() && !slices.Equal(w.heard, r.said) {
				r.t.Errorf("%s heard %v, want %v", w.o.Name, w.heard, r.said)
			}
		}
		w.mu.Unlock()
	}
}

// Handlers of random speed, some that merge, some that resync, some added late,
// some removed, are each told a legal history with the right end; those that
// never merge are told all, and what the others are spared is counted.
func TestHandlersOfRandomSpeed(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { atRandomSpeed(newTrial(t, seed)) })
		})
	}
}

func atRandomSpeed(r *trial) {
	resyncs := 0
	add := func() {
		slow := time.Duration(r.random.IntN(4)) * time.Millisecond
		speed := rand.New(rand.NewPCG(r.random.Uint64(), 0))
		o := HandlerOptions{MaxPending: []int{-1, 1, 3, 10, 100}[r.random.IntN(5)]}
		if r.random.IntN(2) == 0 {
			o.ResyncPeriod = time.Duration(20+r.random.IntN(200)) * time.Millisecond
			resyncs++
		}
		r.add(o, func() { time.Sleep(time.Duration(speed.Int64N(int64(slow + 1)))) })
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
	for _, w := range r.witnesses {
		<-w.finished
	}
	time.Sleep(time.Second)
	synctest.Wait()
	for _, w := range r.witnesses {
		w.mu.Lock()
		if w.o.ResyncPeriod > 0 && w.resyncs == 0 {
			r.t.Errorf("%s was told no resync", w.o.Name)
		}
		w.mu.Unlock()
	}
	r.check()
	if err := r.stop(); err != nil {
		r.t.Error(err)
	}
}

// The same in real time, where all of them run at once.
func TestHandlersAtFullSpeed(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { atFullSpeed(newTrial(t, seed)) })
	}
}

func atFullSpeed(r *trial) {
	add := func() {
		speed := rand.New(rand.NewPCG(r.random.Uint64(), 0))
		slow := 1 + r.random.IntN(4)
		r.add(HandlerOptions{MaxPending: []int{-1, 1, 3, 10, 100}[r.random.IntN(5)]}, func() {
			for range speed.IntN(slow) {
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
	for _, w := range r.witnesses {
		<-w.finished
		<-w.r.Synced()
	}
	r.check()
	if err := r.stop(); err != nil {
		r.t.Error(err)
	}
}
