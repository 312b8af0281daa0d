package informer

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/indexer"
)

// item is what the fan-out is tested with: a key and a state.
type item struct {
	key     string
	version int
	ballast []byte
}

func (i *item) String() string { return fmt.Sprintf("%s%d", i.key, i.version) }

// A stage is a processor with the store in front of it, and what the tests
// know of both.
type stage struct {
	t testing.TB
	*processor[*item]
	store   *indexer.Indexer[*item]
	version int
	size    int // of an object's ballast
	logged  strings.Builder
	lock    sync.Mutex
}

func newStage(t testing.TB) *stage {
	s := &stage{t: t, store: indexer.New(indexer.Options[*item]{
		KeyFunc: func(i *item) (string, error) { return i.key, nil },
	})}
	s.processor = newProcessor("stage", Parts[*item]{Store: s.store}.withDefaults(nil), slog.New(slog.NewTextHandler(s, nil)), nil)
	return s
}

func (s *stage) Write(line []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.logged.Write(line)
}

func (s *stage) log() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.logged.String()
}

// apply writes and distributes one batch: "a" is a new state of a, "-a" its
// end, "!" the end of the initial list.
func (s *stage) apply(changes ...string) {
	var batch []notification[*item]
	for _, change := range changes {
		if change == "!" {
			batch = append(batch, notification[*item]{kind: synced})
			continue
		}
		batch = append(batch, s.change(change))
	}
	s.distribute(batch, s.store.Snapshot())
}

func (s *stage) change(change string) notification[*item] {
	key, gone := strings.CutPrefix(change, "-")
	was, existed := s.store.Get(key)
	n := notification[*item]{key: key, old: was, initial: !s.synced}
	if gone {
		n.kind, n.new = deleted, was
		if err := s.store.Delete(was); err != nil {
			s.t.Fatal(err)
		}
		return n
	}
	s.version++
	n.new = &item{key, s.version, make([]byte, s.size)}
	if n.kind = added; existed {
		n.kind, n.initial = updated, false
	}
	if err := s.store.Update(n.new); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// hear adds a handler.
func (s *stage) hear(h ResourceEventHandler[*item], o HandlerOptions) *Registration {
	s.t.Helper()
	r, err := s.add(h, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// ears write down what they are told, after doing what before says.
type ears struct {
	before func(call string)

	mu    sync.Mutex
	heard []string
}

func (e *ears) hear(call string) {
	e.mu.Lock()
	e.heard = append(e.heard, call)
	e.mu.Unlock()
	if e.before != nil {
		e.before(call)
	}
}

func (e *ears) OnAdd(obj *item, initial bool) {
	if initial {
		e.hear(fmt.Sprintf("add %s initial", obj))
		return
	}
	e.hear(fmt.Sprintf("add %s", obj))
}

func (e *ears) OnUpdate(old, new *item) { e.hear(fmt.Sprintf("update %s %s", old, new)) }

func (e *ears) OnDelete(obj *item, unknown bool) {
	if unknown {
		e.hear(fmt.Sprintf("delete %s unknown", obj))
		return
	}
	e.hear(fmt.Sprintf("delete %s", obj))
}

func (e *ears) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.heard)
}

// want waits until all is quiet and compares.
func (e *ears) want(t testing.TB, calls ...string) {
	t.Helper()
	synctest.Wait()
	if heard := e.all(); !slices.Equal(heard, calls) {
		t.Errorf("heard\n  %s\nwant\n  %s", strings.Join(heard, "\n  "), strings.Join(calls, "\n  "))
	}
}

func stops(t testing.TB, p *processor[*item]) {
	t.Helper()
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// Each handler sees Add, Updates, Delete, in order of arrival, with the flag of
// the initial list, and is synced when that is told.
func TestHandlersAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		a, b := &ears{}, &ears{}
		ra := s.hear(a, HandlerOptions{})
		s.start()
		rb := s.hear(b, HandlerOptions{})
		synctest.Wait()
		if ra.HasSynced() || rb.HasSynced() {
			t.Error("synced before the initial list")
		}
		s.apply("a", "b", "!")
		s.apply("a", "c")
		s.apply("-b")
		for _, e := range []*ears{a, b} {
			e.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "add c4", "delete b2")
		}
		if !ra.HasSynced() || !rb.HasSynced() {
			t.Error("not synced after the initial list")
		}
		stops(t, s.processor)
		s.apply("d")
		if _, err := s.add(a, HandlerOptions{}); !errors.Is(err, ErrStopped) {
			t.Errorf("added after the stop: %v", err)
		}
		a.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "add c4", "delete b2")
	})
}

// A handler added late gets the present state as Adds, then what follows; it is
// synced only after it has returned from them, and nobody waits for it.
func TestLateHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		early := &ears{}
		s.hear(early, HandlerOptions{})
		s.start()
		s.apply("a", "b", "!")
		s.apply("a")
		gate := make(chan struct{})
		late := &ears{before: func(call string) {
			if call == "add b2 initial" {
				<-gate
			}
		}}
		r := s.hear(late, HandlerOptions{})
		s.apply("b", "c")
		s.apply("-a")
		early.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "update b2 b4", "add c5", "delete a3")
		late.want(t, "add a3 initial", "add b2 initial")
		if r.HasSynced() {
			t.Error("synced while the initial list is told")
		}
		if n := s.states()[1].Pending; n != 3 {
			t.Errorf("%d pending, want 3", n)
		}
		close(gate)
		late.want(t, "add a3 initial", "add b2 initial", "update b2 b4", "add c5", "delete a3")
		if !r.HasSynced() {
			t.Error("not synced when the initial list has been told")
		}
		stops(t, s.processor)
	})
}

// Remove never waits, nothing begins after it, and Done is closed when what
// has begun has ended, whoever removes whom.
func TestRemove(t *testing.T) {
	t.Run("itself", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			var r *Registration
			e := &ears{before: func(string) { r.Remove() }}
			r = s.hear(e, HandlerOptions{})
			s.start()
			s.apply("a", "b", "!")
			e.want(t, "add a1 initial")
			<-r.Done()
			if r.HasSynced() || len(s.states()) != 0 {
				t.Error("a removed handler synced, or is shown")
			}
			r.Remove()
			stops(t, s.processor)
		})
	})
	t.Run("each other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			var r [2]*Registration
			var met, parted sync.WaitGroup
			met.Add(2)
			parted.Add(2)
			removing := func(other int) func(string) {
				return func(string) {
					met.Done()
					met.Wait()
					r[other].Remove()
					parted.Done()
					parted.Wait()
				}
			}
			a, b := &ears{before: removing(1)}, &ears{before: removing(0)}
			r[0], r[1] = s.hear(a, HandlerOptions{}), s.hear(b, HandlerOptions{})
			s.start()
			s.apply("a", "b", "!")
			a.want(t, "add a1 initial")
			b.want(t, "add a1 initial")
			<-r[0].Done()
			<-r[1].Done()
			stops(t, s.processor)
		})
	})
	t.Run("in a callback that goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			gate := make(chan struct{})
			e := &ears{before: func(string) { <-gate }}
			r := s.hear(e, HandlerOptions{})
			s.start()
			s.apply("a", "b", "!")
			synctest.Wait()
			r.Remove()
			s.apply("c")
			synctest.Wait()
			select {
			case <-r.Done():
				t.Error("done while a callback runs")
			default:
			}
			close(gate)
			<-r.Done()
			e.want(t, "add a1 initial")
			stops(t, s.processor)
		})
	})
	t.Run("in a long run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			var r *Registration
			e := &ears{before: func(call string) {
				if call == "update a60 a61" {
					r.Remove()
				}
			}}
			r = s.hear(e, HandlerOptions{})
			s.start()
			s.apply(append(slices.Repeat([]string{"a"}, 100), "!")...)
			synctest.Wait()
			if n := len(e.all()); n != 61 {
				t.Errorf("%d callbacks began, want 61", n)
			}
			stops(t, s.processor)
		})
	})
	t.Run("before the start", func(t *testing.T) {
		s := newStage(t)
		r := s.hear(&ears{}, HandlerOptions{})
		r.Remove()
		<-r.Done()
		stops(t, s.processor)
	})
}

// A panic costs one notification, and is reported with its stack; so does a
// callback that ends its goroutine.
func TestBrokenCallbacks(t *testing.T) {
	for name, break_ := range map[string]func(){
		"panic":  func() { panic("ouch") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				e := &ears{before: func(call string) {
					if call != "add b5" {
						break_()
					}
				}}
				s.apply("x", "y", "z", "!")
				r := s.hear(e, HandlerOptions{Name: "breaker"})
				s.start()
				e.want(t, "add x1 initial", "add y2 initial", "add z3 initial")
				s.apply("x", "b", "-y", "z")
				e.want(t, "add x1 initial", "add y2 initial", "add z3 initial", "update x1 x4", "add b5", "delete y2", "update z3 z6")
				if !r.HasSynced() {
					t.Error("not synced")
				}
				if n := s.states()[0].Panics; n != 6 {
					t.Errorf("%d panics counted, want 6", n)
				}
				if log := s.log(); !strings.Contains(log, "handler=breaker") || !strings.Contains(log, "fanout_test.go") || !strings.Contains(log, "key=y") {
					t.Errorf("the log does not say who, where and what: %s", log)
				}
				stops(t, s.processor)
			})
		})
	}
}

// A callback that does not return is waited for up to StopTimeout, and named.
func TestStopTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		gate := make(chan struct{})
		e := &ears{before: func(string) { <-gate }}
		stuck := s.hear(e, HandlerOptions{Name: "stuck", StopTimeout: time.Second})
		removed := s.hear(e, HandlerOptions{Name: "removed", StopTimeout: 2 * time.Second})
		slow := s.hear(&ears{before: func(string) { time.Sleep(5 * time.Second) }}, HandlerOptions{Name: "slow"})
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		removed.Remove()
		began := time.Now()
		err := s.stop()
		var late *StopError
		if !errors.As(err, &late) || !slices.Equal(late.Handlers, []string{"stuck", "removed"}) || !strings.Contains(err.Error(), "stuck, removed") {
			t.Errorf("stopped with %v", err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("stop took %s, want as long as the slow handler", took)
		}
		<-slow.Done()
		close(gate)
		<-stuck.Done()
		<-removed.Done()
		e.want(t, "add a1 initial", "add a1 initial")
	})
}

// Every ResyncPeriod the handler is told of each object as it saw it last.
func TestResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e, other := &ears{}, &ears{}
		s.hear(e, HandlerOptions{ResyncPeriod: time.Minute})
		s.hear(other, HandlerOptions{})
		s.start()
		s.apply("a", "b", "!")
		time.Sleep(30 * time.Second)
		s.apply("a")
		time.Sleep(31 * time.Second)
		s.apply("-b")
		time.Sleep(time.Minute)
		other.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "delete b2")
		e.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "update a3 a3", "update b2 b2", "delete b2", "update a3 a3")
		stops(t, s.processor)
	})
}

func TestBadHandlers(t *testing.T) {
	s := newStage(t)
	for _, h := range []ResourceEventHandler[*item]{nil, (*ears)(nil), (*ResourceEventHandlerFuncs[*item])(nil)} {
		if _, err := s.add(h, HandlerOptions{}); !errors.Is(err, ErrNoHandler) {
			t.Errorf("a handler %#v: %v", h, err)
		}
	}
	for _, o := range []HandlerOptions{{ResyncPeriod: -1}, {StopTimeout: -1}, {Panic: 7}} {
		if _, err := s.add(&ears{}, o); !errors.Is(err, ErrHandlerOptions) {
			t.Errorf("options %+v: %v", o, err)
		}
	}
	stops(t, s.processor)
}
