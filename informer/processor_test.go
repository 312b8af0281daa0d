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

// item is the object of these tests.
type item struct {
	key     string
	version int
	payload []byte
}

func (i *item) String() string { return fmt.Sprintf("%s%d", i.key, i.version) }

// A testProcessor is a processor with a store that the test writes.
type testProcessor struct {
	t testing.TB
	*processor[*item]
	store   *indexer.Indexer[*item]
	version int
	size    int // bytes of payload per object
	logged  strings.Builder
	lock    sync.Mutex
}

func newTestProcessor(t testing.TB) *testProcessor {
	s := &testProcessor{t: t, store: indexer.New(indexer.Options[*item]{
		KeyFunc: func(i *item) (string, error) { return i.key, nil },
	})}
	s.processor = newProcessor("test", StoreConfig[*item]{Store: s.store}.withDefaults(nil), slog.New(slog.NewTextHandler(s, nil)), nil)
	return s
}

func (s *testProcessor) Write(line []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.logged.Write(line)
}

func (s *testProcessor) log() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.logged.String()
}

// apply writes and distributes one batch: "a" is a new state of a, "-a" its deletion,
// "!" the end of the initial list.
func (s *testProcessor) apply(changes ...string) {
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

func (s *testProcessor) change(change string) notification[*item] {
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

func (s *testProcessor) addHandler(h ResourceEventHandler[*item], o HandlerOptions) *Registration {
	s.t.Helper()
	r, err := s.add(h, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// recorder is a handler that records its callbacks. It calls before first.
type recorder struct {
	before func(call string)

	mu    sync.Mutex
	calls []string
}

func (e *recorder) record(call string) {
	e.mu.Lock()
	e.calls = append(e.calls, call)
	e.mu.Unlock()
	if e.before != nil {
		e.before(call)
	}
}

func (e *recorder) OnAdd(obj *item, initial bool) {
	if initial {
		e.record(fmt.Sprintf("add %s initial", obj))
		return
	}
	e.record(fmt.Sprintf("add %s", obj))
}

func (e *recorder) OnUpdate(old, new *item) { e.record(fmt.Sprintf("update %s %s", old, new)) }

func (e *recorder) OnDelete(obj *item, unknown bool) {
	if unknown {
		e.record(fmt.Sprintf("delete %s unknown", obj))
		return
	}
	e.record(fmt.Sprintf("delete %s", obj))
}

func (e *recorder) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls)
}

// requireCalls waits until all goroutines are blocked, and compares the calls.
func (e *recorder) requireCalls(t testing.TB, want ...string) {
	t.Helper()
	synctest.Wait()
	if calls := e.all(); !slices.Equal(calls, want) {
		t.Errorf("calls:\n  %s\nwant:\n  %s", strings.Join(calls, "\n  "), strings.Join(want, "\n  "))
	}
}

func requireStop(t testing.TB, p *processor[*item]) {
	t.Helper()
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// Each handler receives Add, Updates, Delete, in the order of arrival, with the flag of
// the initial list, and is synced after it.
func TestHandlersAreNotifiedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		a, b := &recorder{}, &recorder{}
		ra := s.addHandler(a, HandlerOptions{})
		s.start()
		rb := s.addHandler(b, HandlerOptions{})
		synctest.Wait()
		if ra.HasSynced() || rb.HasSynced() {
			t.Error("synced before the initial list")
		}
		s.apply("a", "b", "!")
		s.apply("a", "c")
		s.apply("-b")
		for _, e := range []*recorder{a, b} {
			e.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "add c4", "delete b2")
		}
		if !ra.HasSynced() || !rb.HasSynced() {
			t.Error("not synced after the initial list")
		}
		requireStop(t, s.processor)
		s.apply("d")
		if _, err := s.add(a, HandlerOptions{}); !errors.Is(err, ErrStopped) {
			t.Errorf("add after stop returned %v, want ErrStopped", err)
		}
		a.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "add c4", "delete b2")
	})
}

// A late handler receives the stored objects as Adds and then the changes. It is
// synced when it has returned from the Adds. It delays no other goroutine.
func TestLateHandlerReceivesStoredObjectsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		early := &recorder{}
		s.addHandler(early, HandlerOptions{})
		s.start()
		s.apply("a", "b", "!")
		s.apply("a")
		gate := make(chan struct{})
		late := &recorder{before: func(call string) {
			if call == "add b2 initial" {
				<-gate
			}
		}}
		r := s.addHandler(late, HandlerOptions{})
		s.apply("b", "c")
		s.apply("-a")
		early.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "update b2 b4", "add c5", "delete a3")
		late.requireCalls(t, "add a3 initial", "add b2 initial")
		if r.HasSynced() {
			t.Error("synced during the delivery of the initial list")
		}
		if n := s.states()[1].Pending; n != 3 {
			t.Errorf("%d pending, want 3", n)
		}
		close(gate)
		late.requireCalls(t, "add a3 initial", "add b2 initial", "update b2 b4", "add c5", "delete a3")
		if !r.HasSynced() {
			t.Error("not synced after the initial list")
		}
		requireStop(t, s.processor)
	})
}

// Remove never waits, no callback starts after it, and Done is closed when running
// callbacks have ended, also for Remove from callbacks.
func TestNoCallbackStartsAfterRemove(t *testing.T) {
	t.Run("from its own callback", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newTestProcessor(t)
			var r *Registration
			e := &recorder{before: func(string) { r.Remove() }}
			r = s.addHandler(e, HandlerOptions{})
			s.start()
			s.apply("a", "b", "!")
			e.requireCalls(t, "add a1 initial")
			<-r.Done()
			if r.HasSynced() || len(s.states()) != 0 {
				t.Error("a removed handler has synced or is part of the states")
			}
			r.Remove()
			requireStop(t, s.processor)
		})
	})
	t.Run("two handlers from each other's callbacks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newTestProcessor(t)
			var r [2]*Registration
			var inCallback, removed sync.WaitGroup
			inCallback.Add(2)
			removed.Add(2)
			removing := func(other int) func(string) {
				return func(string) {
					inCallback.Done()
					inCallback.Wait()
					r[other].Remove()
					removed.Done()
					removed.Wait()
				}
			}
			a, b := &recorder{before: removing(1)}, &recorder{before: removing(0)}
			r[0], r[1] = s.addHandler(a, HandlerOptions{}), s.addHandler(b, HandlerOptions{})
			s.start()
			s.apply("a", "b", "!")
			a.requireCalls(t, "add a1 initial")
			b.requireCalls(t, "add a1 initial")
			<-r[0].Done()
			<-r[1].Done()
			requireStop(t, s.processor)
		})
	})
	t.Run("during a callback", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newTestProcessor(t)
			gate := make(chan struct{})
			e := &recorder{before: func(string) { <-gate }}
			r := s.addHandler(e, HandlerOptions{})
			s.start()
			s.apply("a", "b", "!")
			synctest.Wait()
			r.Remove()
			s.apply("c")
			synctest.Wait()
			select {
			case <-r.Done():
				t.Error("Done is closed while a callback runs")
			default:
			}
			close(gate)
			<-r.Done()
			e.requireCalls(t, "add a1 initial")
			requireStop(t, s.processor)
		})
	})
	t.Run("during a run of notifications", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newTestProcessor(t)
			var r *Registration
			e := &recorder{before: func(call string) {
				if call == "update a60 a61" {
					r.Remove()
				}
			}}
			r = s.addHandler(e, HandlerOptions{})
			s.start()
			s.apply(append(slices.Repeat([]string{"a"}, 100), "!")...)
			synctest.Wait()
			if n := len(e.all()); n != 61 {
				t.Errorf("%d callbacks began, want 61", n)
			}
			requireStop(t, s.processor)
		})
	})
	t.Run("before the start", func(t *testing.T) {
		s := newTestProcessor(t)
		r := s.addHandler(&recorder{}, HandlerOptions{})
		r.Remove()
		<-r.Done()
		requireStop(t, s.processor)
	})
}

// A panic loses one notification, and is reported with its stack. The same holds for a
// callback that ends its goroutine.
func TestPanicLosesOneNotification(t *testing.T) {
	for name, fail := range map[string]func(){
		"panic":  func() { panic("ouch") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProcessor(t)
				e := &recorder{before: func(call string) {
					if call != "add b5" {
						fail()
					}
				}}
				s.apply("x", "y", "z", "!")
				r := s.addHandler(e, HandlerOptions{Name: "failing"})
				s.start()
				e.requireCalls(t, "add x1 initial", "add y2 initial", "add z3 initial")
				s.apply("x", "b", "-y", "z")
				e.requireCalls(t, "add x1 initial", "add y2 initial", "add z3 initial", "update x1 x4", "add b5", "delete y2", "update z3 z6")
				if !r.HasSynced() {
					t.Error("not synced")
				}
				if n := s.states()[0].Panics; n != 6 {
					t.Errorf("%d panics counted, want 6", n)
				}
				if log := s.log(); !strings.Contains(log, "handler=failing") || !strings.Contains(log, "processor_test.go") || !strings.Contains(log, "key=y") {
					t.Errorf("the log lacks the handler, the stack or the key: %s", log)
				}
				requireStop(t, s.processor)
			})
		})
	}
}

// stop waits for a running callback up to its StopTimeout. The error names the
// handler.
func TestStopWaitsUpToStopTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		gate := make(chan struct{})
		e := &recorder{before: func(string) { <-gate }}
		stuck := s.addHandler(e, HandlerOptions{Name: "stuck", StopTimeout: time.Second})
		removed := s.addHandler(e, HandlerOptions{Name: "removed", StopTimeout: 2 * time.Second})
		slow := s.addHandler(&recorder{before: func(string) { time.Sleep(5 * time.Second) }}, HandlerOptions{Name: "slow"})
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		removed.Remove()
		began := time.Now()
		err := s.stop()
		var late *StopError
		if !errors.As(err, &late) || !slices.Equal(late.Handlers, []string{"stuck", "removed"}) || !strings.Contains(err.Error(), "stuck, removed") {
			t.Errorf("stop returned %v", err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("stop took %s, want 5s, the time of the slow handler", took)
		}
		<-slow.Done()
		close(gate)
		<-stuck.Done()
		<-removed.Done()
		e.requireCalls(t, "add a1 initial", "add a1 initial")
	})
}

// Every ResyncPeriod the handler receives each object in the state that it received
// last.
func TestResyncDeliversTheLastDeliveredState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e, other := &recorder{}, &recorder{}
		s.addHandler(e, HandlerOptions{ResyncPeriod: time.Minute})
		s.addHandler(other, HandlerOptions{})
		s.start()
		s.apply("a", "b", "!")
		time.Sleep(30 * time.Second)
		s.apply("a")
		time.Sleep(31 * time.Second)
		s.apply("-b")
		time.Sleep(time.Minute)
		other.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "delete b2")
		e.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "update a3 a3", "update b2 b2", "delete b2", "update a3 a3")
		requireStop(t, s.processor)
	})
}

func TestInvalidHandlersAreErrors(t *testing.T) {
	s := newTestProcessor(t)
	for _, h := range []ResourceEventHandler[*item]{nil, (*recorder)(nil), (*ResourceEventHandlerFuncs[*item])(nil)} {
		if _, err := s.add(h, HandlerOptions{}); !errors.Is(err, ErrNoHandler) {
			t.Errorf("add(%#v) returned %v, want ErrNoHandler", h, err)
		}
	}
	for _, o := range []HandlerOptions{{ResyncPeriod: -1}, {StopTimeout: -1}, {Panic: 7}} {
		if _, err := s.add(&recorder{}, o); !errors.Is(err, ErrHandlerOptions) {
			t.Errorf("options %+v: %v, want ErrHandlerOptions", o, err)
		}
	}
	requireStop(t, s.processor)
}
