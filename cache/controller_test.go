package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// A stage is a source with a list of pods and a watch that the test drives, and
// what a controller's log says.
type stage struct {
	listed *podList
	watch  *watch.FakeWatcher

	mu  sync.Mutex
	log strings.Builder
}

func aStage(names ...string) *stage {
	return &stage{listed: listOf("5", names...), watch: watch.NewFake()}
}

func (s *stage) List(metav1.ListOptions) (runtime.Object, error)   { return s.listed, nil }
func (s *stage) Watch(metav1.ListOptions) (watch.Interface, error) { return s.watch, nil }

func (s *stage) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(line)
}

func (s *stage) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// plays runs a controller until the returned function is called, which waits for
// its end.
func (s *stage) plays(t *testing.T, c Controller) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ctx = klog.NewContext(ctx, textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(s))))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.RunWithContext(ctx)
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-ended
	}
}

// A protocol is what a process function was called with, a line each.
type protocol struct {
	mu    sync.Mutex
	lines []string
}

func (p *protocol) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

func (p *protocol) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// process keeps a store as every user of a DeltaFIFO does.
func (p *protocol) process(store Store) ProcessFunc {
	return func(obj any, isInInitialList bool) error {
		for _, d := range obj.(Deltas) {
			p.note("%s %s %v", d.Type, keyForLog(Deltas{d}), isInInitialList)
			if d.Type == Deleted {
				_ = store.Delete(d.Object)
			} else {
				_ = store.Update(d.Object)
			}
		}
		return nil
	}
}

func TestAControllerProcessesWhatItsQueueHandsOut(t *testing.T) {
	for name, queueOver := range map[string]func(Store) Queue{
		"DeltaFIFO": func(known Store) Queue {
			return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: known, EmitDeltaTypeReplaced: true})
		},
		"RealFIFO": func(known Store) Queue { return NewRealFIFOWithOptions(RealFIFOOptions{KnownObjects: known}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := NewStore(DeletionHandlingMetaNamespaceKeyFunc)
				s, p := aStage("a", "b"), &protocol{}
				config := &Config{Queue: queueOver(store), ListerWatcher: s, ObjectType: &pod{}, Process: p.process(store)}
				c := New(config)
				config.Process = nil // is not looked at any more
				require.False(t, c.HasSynced())
				require.Empty(t, c.LastSyncResourceVersion())

				stop := s.plays(t, c)
				require.True(t, c.HasSynced())
				<-c.HasSyncedChecker().Done()
				require.Equal(t, "5", c.LastSyncResourceVersion())
				changed := aPod("b")
				changed.ResourceVersion = "6"
				s.watch.Modify(changed)
				s.watch.Add(aPod("c"))
				s.watch.Delete(aPod("a"))
				synctest.Wait()
				require.Equal(t, []string{
					"Replaced shop/a true", "Replaced shop/b true",
					"Updated shop/b false", "Added shop/c false", "Deleted shop/a false",
				}, p.all())
				require.ElementsMatch(t, []string{"shop/b", "shop/c"}, store.ListKeys())
				stop()
				require.Empty(t, s.logged(), "nothing was wrong")
			})
		})
	}
}

// ownQueue is a queue of the user's.
type ownQueue struct {
	*FIFO
	broken func() error
}

func (q *ownQueue) Pop(process PopProcessFunc) (any, error) {
	if err := q.broken(); err != nil {
		return nil, err
	}
	return q.FIFO.Pop(process)
}

func intact() error { return nil }

func TestAControllerTakesAnyQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := aStage("a"), &protocol{}
		c := New(&Config{
			Queue: &ownQueue{FIFO: NewFIFO(MetaNamespaceKeyFunc), broken: intact}, ListerWatcher: s,
			Process: func(obj any, isInInitialList bool) error {
				p.note("%s %v", obj.(*pod).Name, isInInitialList)
				return nil
			},
			ProcessBatch: func([]Delta, bool) error { panic("a FIFO hands out no batches") },
		})
		stop := s.plays(t, c)
		s.watch.Add(aPod("b"))
		synctest.Wait()
		stop()
		require.Equal(t, []string{"a true", "b false"}, p.all())
	})
}

func TestBatchesAreProcessedAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := aStage("a", "b", "c"), &protocol{}
		c := New(&Config{
			Queue: NewRealFIFOWithOptions(RealFIFOOptions{KnownObjects: NewStore(MetaNamespaceKeyFunc)}), ListerWatcher: s,
			Process: p.process(NewStore(DeletionHandlingMetaNamespaceKeyFunc)),
			ProcessBatch: func(deltas []Delta, isInInitialList bool) error {
				p.note("%d changes %v", len(deltas), isInInitialList)
				return &TransactionError{SuccessfulIndices: []int{1}, TotalTransactions: 3, Errors: []error{errors.New("full")}}
			},
		})
		stop := s.plays(t, c)
		s.watch.Add(aPod("d"))
		synctest.Wait()
		stop()
		require.Equal(t, []string{"3 changes true", "Added shop/d false"}, p.all())
		require.Contains(t, s.logged(), `key="shop/a and 1 more"`)
		require.Contains(t, s.logged(), "full")
	})
}

// An error of a process function costs what it was about, and is logged with the
// key. It is never taken for the queue's: ErrFIFOClosed, of another queue, is no end.
func TestAnErrorOfProcessIsLoggedWithTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := aStage("a", "b"), &protocol{}
		c := New(&Config{
			Queue: NewFIFO(MetaNamespaceKeyFunc), ListerWatcher: s,
			Process: func(obj any, _ bool) error {
				p.note("%s", obj.(*pod).Name)
				return fmt.Errorf("handing %s on: %w", obj.(*pod).Name, ErrFIFOClosed)
			},
		})
		stop := s.plays(t, c)
		s.watch.Add(aPod("c"))
		synctest.Wait()
		require.ElementsMatch(t, []string{"a", "b", "c"}, p.all())
		stop()
		for _, name := range []string{"a", "b", "c"} {
			require.Contains(t, s.logged(), `key="shop/`+name+`"`)
			require.Contains(t, s.logged(), "handing "+name+" on")
		}
	})
}

func TestWhatCouldNotBeProcessedIsNamed(t *testing.T) {
	deltas := []Delta{{Added, aPod("a")}, {Deleted, DeletedFinalStateUnknown{Key: "shop/b"}}, {Sync, 3}}
	none := &TransactionError{SuccessfulIndices: []int{0, 1, 2}}
	for _, c := range []struct{ got, want string }{
		{keyForLog(aPod("a")), "shop/a"},
		{keyForLog(Deltas{deltas[0], deltas[1]}), "shop/b"},
		{keyForLog(Deltas{{ReplacedAll, ReplacedAllInfo{}}}), "ReplacedAll"},
		{keyForLog(Deltas{}), "(a cache.Deltas without a key)"},
		{keyForLog("x"), "(a string without a key)"},
		{keyForLog(nil), "(a <nil> without a key)"},
		{keyForLog(&pod{}), "(a *cache.pod without a key)"},
		{keysForLog(deltas, errors.New("all")), "shop/a and 2 more"},
		{keysForLog(deltas, &TransactionError{SuccessfulIndices: []int{0, 2}}), "shop/b"},
		{keysForLog(deltas, fmt.Errorf("so: %w", &TransactionError{SuccessfulIndices: []int{0, 1}})), "Sync"},
		{keysForLog(deltas, (*TransactionError)(nil)), "shop/a and 2 more"},
		{keysForLog(deltas, none), "(none of the changes)"},
	} {
		require.Equal(t, c.want, c.got)
	}
}

func TestAControllerEndsWithItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewFIFO(MetaNamespaceKeyFunc)
		s := aStage("a")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			New(&Config{Queue: queue, ListerWatcher: s, Process: func(any, bool) error { return nil }}).Run(nil)
		}()
		synctest.Wait()
		queue.Close()
		<-ended
		require.True(t, s.watch.IsStopped(), "Run has ended all that it has started")
	})
}

// A process function that takes its time is waited for; what it has not been
// handed by then it will not be.
func TestRunWaitsForProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := aStage("a", "b", "c"), &protocol{}
		queue := NewFIFO(MetaNamespaceKeyFunc)
		c := New(&Config{Queue: queue, ListerWatcher: s, Process: func(any, bool) error {
			p.note("began")
			time.Sleep(time.Minute)
			p.note("ended")
			return nil
		}})
		stop := s.plays(t, c)
		stop()
		require.Equal(t, []string{"began", "ended"}, p.all())
		require.True(t, queue.IsClosed())
		require.True(t, s.watch.IsStopped())
	})
}

func TestAControllerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := aStage("a")
		c := New(&Config{Queue: NewFIFO(MetaNamespaceKeyFunc), ListerWatcher: s, Process: func(any, bool) error { return nil }})
		stop := s.plays(t, c)
		require.Contains(t, logged(t, c.RunWithContext), errRanAlready.Error(), "while it runs")
		stop()
		require.Contains(t, logged(t, c.RunWithContext), errRanAlready.Error(), "when it has run")
		require.Empty(t, s.logged())
	})
}

func TestAControllerSaysWhatItLacks(t *testing.T) {
	queue, source := NewFIFO(MetaNamespaceKeyFunc), aStage()
	process := func(any, bool) error { return nil }
	for _, c := range []struct {
		config *Config
		want   error
	}{
		{nil, errNoQueue},
		{&Config{ListerWatcher: source, Process: process}, errNoQueue},
		{&Config{Queue: queue, Process: process}, errNoSource},
		{&Config{Queue: queue, ListerWatcher: source}, errNoProcessFunc},
	} {
		made := New(c.config)
		require.Contains(t, logged(t, made.RunWithContext), c.want.Error())
		require.False(t, made.HasSynced())
		select {
		case <-made.HasSyncedChecker().Done():
			t.Error("synced")
		default:
		}
		require.NotEmpty(t, made.HasSyncedChecker().Name())
		require.Empty(t, made.LastSyncResourceVersion())
	}
	require.False(t, queue.IsClosed())
	made := New(&Config{Queue: queue, ListerWatcher: (*ListWatch)(nil), Process: process})
	require.NotEmpty(t, logged(t, made.RunWithContext), "a source that is no use ends Run, and does not hang it")
}

func TestTheReflectorIsAsTheConfigSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limits, timeouts []int64
		asked, synced := 0, 0
		down := apierrors.NewServiceUnavailable("down")
		s, p := aStage("a"), &protocol{}
		told := func(_ context.Context, r *Reflector, err error) {
			p.note("%s %v %v", r.TypeDescription(), errors.Is(err, down), r.LastSyncResourceVersion())
		}
		c := New(&Config{
			Queue: NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: s}),
			ListerWatcher: &ListWatch{
				ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
					if limits = append(limits, o.Limit); len(limits) == 1 {
						return nil, down
					}
					return s.listed, nil
				},
				WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) {
					if o.SendInitialEvents != nil {
						return nil, apierrors.NewBadRequest("what is sendInitialEvents?")
					}
					timeouts = append(timeouts, *o.TimeoutSeconds)
					return s.watch, nil
				},
			},
			Process: func(obj any, _ bool) error {
				if obj.(Deltas)[0].Type == Sync {
					synced++
				}
				return nil
			},
			ObjectType: &pod{}, ObjectDescription: "pods of the shop",
			FullResyncPeriod: 10 * time.Second, ShouldResync: func() bool { asked++; return asked > 1 },
			MinWatchTimeout: time.Hour, WatchListPageSize: 7,
			WatchErrorHandlerWithContext: told,
		})
		stop := s.plays(t, c)
		time.Sleep(36 * time.Second)
		stop()
		require.Equal(t, []int64{7, 7}, limits)
		require.GreaterOrEqual(t, timeouts[0], int64(3600))
		require.Equal(t, []string{"pods of the shop true "}, p.all())
		require.Equal(t, []int{3, 2}, []int{asked, synced - 1}, "the list is a Sync as well")
	})
}

// KnownObjects for a DeltaFIFO: what the stage has listed.
func (s *stage) ListKeys() []string { return []string{"shop/a"} }
func (s *stage) GetByKey(string) (any, bool, error) {
	return &s.listed.Items[0], true, nil
}

func TestTheOldWatchErrorHandlerComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &protocol{}
		s := aStage()
		c := New(&Config{
			Queue:             NewFIFO(MetaNamespaceKeyFunc),
			ListerWatcher:     handMade{list: func() (runtime.Object, error) { return nil, errors.New("down") }, watch: func() (watch.Interface, error) { return nil, errors.New("down") }},
			Process:           func(any, bool) error { return nil },
			WatchErrorHandler: func(r *Reflector, err error) { p.note("told %v", r != nil && err != nil) },
			WatchErrorHandlerWithContext: func(context.Context, *Reflector, error) {
				p.note("told the other one")
			},
		})
		stop := s.plays(t, c)
		stop()
		require.Contains(t, p.all(), "told true")
		require.NotContains(t, p.all(), "told the other one")
	})
}

// panics has panics of processing end what was called, or not, and counts them.
func panics(t *testing.T, end bool) (counted *int) {
	t.Helper()
	counted = new(int)
	reallyCrash, handlers := utilruntime.ReallyCrash, utilruntime.PanicHandlers
	t.Cleanup(func() { utilruntime.ReallyCrash, utilruntime.PanicHandlers = reallyCrash, handlers })
	utilruntime.ReallyCrash = end
	utilruntime.PanicHandlers = []func(context.Context, any){func(context.Context, any) { *counted++ }}
	return counted
}

func TestAPanicOfProcessIsApimachinerys(t *testing.T) {
	for _, end := range []bool{false, true} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			counted := panics(t, end)
			synctest.Test(t, func(t *testing.T) {
				s, p := aStage("a"), &protocol{}
				c := New(&Config{Queue: NewFIFO(MetaNamespaceKeyFunc), ListerWatcher: s, Process: func(obj any, _ bool) error {
					if obj.(*pod).Name == "a" {
						panic("at the sight of a")
					}
					p.note("%s", obj.(*pod).Name)
					return nil
				}})
				if end {
					require.PanicsWithValue(t, "at the sight of a", func() { c.Run(nil) })
					require.True(t, s.watch.IsStopped(), "Run has ended all that it has started")
					return
				}
				stop := s.plays(t, c)
				s.watch.Add(aPod("b"))
				time.Sleep(time.Second)
				stop()
				require.Equal(t, []string{"b"}, p.all())
				require.Contains(t, s.logged(), errPanicked.Error())
			})
			require.Equal(t, 1, *counted)
		})
	}
}

// A queue that fails again and again is asked less and less often, and the stop
// is not kept waiting.
func TestABrokenQueueIsAskedLessAndLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := aStage("a")
		queue := &ownQueue{FIFO: NewFIFO(MetaNamespaceKeyFunc), broken: func() error {
			asked++
			return errors.New("out of order")
		}}
		stop := s.plays(t, New(&Config{Queue: queue, ListerWatcher: s, Process: func(any, bool) error { return nil }}))
		time.Sleep(time.Minute)
		begin := time.Now()
		stop()
		require.Zero(t, time.Since(begin))
		require.Greater(t, asked, 60)
		require.Less(t, asked, 75)
		require.Contains(t, s.logged(), "out of order")
	})
}
