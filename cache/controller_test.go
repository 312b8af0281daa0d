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

// podSource is a source with a list of pods and a watch that the test drives.
// It records the log of the controller.
type podSource struct {
	listed *podList
	watch  *watch.FakeWatcher

	mu  sync.Mutex
	log strings.Builder
}

func newPodSource(names ...string) *podSource {
	return &podSource{listed: podListOf("5", names...), watch: watch.NewFake()}
}

func (s *podSource) List(metav1.ListOptions) (runtime.Object, error) { return s.listed, nil }

func (s *podSource) Watch(metav1.ListOptions) (watch.Interface, error) { return s.watch, nil }

func (s *podSource) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(line)
}

func (s *podSource) logs() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// start runs a controller. stop cancels its context and waits for its end.
func (s *podSource) start(t *testing.T, c Controller) (stop func()) {
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

// callRecorder records the calls of a process function.
type callRecorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *callRecorder) record(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *callRecorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// process returns a process function that updates a store, as the users of a
// DeltaFIFO do.
func (r *callRecorder) process(store Store) ProcessFunc {
	return func(obj any, isInInitialList bool) error {
		for _, d := range obj.(Deltas) {
			r.record("%s %s %v", d.Type, keyForLog(Deltas{d}), isInInitialList)
			if d.Type == Deleted {
				_ = store.Delete(d.Object)
			} else {
				_ = store.Update(d.Object)
			}
		}
		return nil
	}
}

func TestControllerProcessesQueue(t *testing.T) {
	for name, queueOver := range map[string]func(Store) Queue{
		"DeltaFIFO": func(known Store) Queue {
			return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: known, EmitDeltaTypeReplaced: true})
		},
		"RealFIFO": func(known Store) Queue { return NewRealFIFOWithOptions(RealFIFOOptions{KnownObjects: known}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := NewStore(DeletionHandlingMetaNamespaceKeyFunc)
				s, p := newPodSource("a", "b"), &callRecorder{}
				config := &Config{Queue: queueOver(store), ListerWatcher: s, ObjectType: &pod{}, Process: p.process(store)}
				c := New(config)
				config.Process = nil // has no effect after New
				require.False(t, c.HasSynced())
				require.Empty(t, c.LastSyncResourceVersion())

				stop := s.start(t, c)
				require.True(t, c.HasSynced())
				<-c.HasSyncedChecker().Done()
				require.Equal(t, "5", c.LastSyncResourceVersion())
				changed := newPod("b")
				changed.ResourceVersion = "6"
				s.watch.Modify(changed)
				s.watch.Add(newPod("c"))
				s.watch.Delete(newPod("a"))
				synctest.Wait()
				require.Equal(t, []string{
					"Replaced shop/a true", "Replaced shop/b true",
					"Updated shop/b false", "Added shop/c false", "Deleted shop/a false",
				}, p.all())
				require.ElementsMatch(t, []string{"shop/b", "shop/c"}, store.ListKeys())
				stop()
				require.Empty(t, s.logs(), "the log of a run without errors")
			})
		})
	}
}

// customQueue is a Queue of another package.
type customQueue struct {
	*FIFO
	popError func() error
}

func (q *customQueue) Pop(process PopProcessFunc) (any, error) {
	if err := q.popError(); err != nil {
		return nil, err
	}
	return q.FIFO.Pop(process)
}

func noPopError() error { return nil }

func TestControllerWithCustomQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newPodSource("a"), &callRecorder{}
		c := New(&Config{
			Queue: &customQueue{FIFO: NewFIFO(MetaNamespaceKeyFunc), popError: noPopError}, ListerWatcher: s,
			Process: func(obj any, isInInitialList bool) error {
				p.record("%s %v", obj.(*pod).Name, isInInitialList)
				return nil
			},
			ProcessBatch: func([]Delta, bool) error { panic("a FIFO has no batches") },
		})
		stop := s.start(t, c)
		s.watch.Add(newPod("b"))
		synctest.Wait()
		stop()
		require.Equal(t, []string{"a true", "b false"}, p.all())
	})
}

func TestControllerProcessesBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newPodSource("a", "b", "c"), &callRecorder{}
		c := New(&Config{
			Queue: NewRealFIFOWithOptions(RealFIFOOptions{KnownObjects: NewStore(MetaNamespaceKeyFunc)}), ListerWatcher: s,
			Process: p.process(NewStore(DeletionHandlingMetaNamespaceKeyFunc)),
			ProcessBatch: func(deltas []Delta, isInInitialList bool) error {
				p.record("%d changes %v", len(deltas), isInInitialList)
				return &TransactionError{SuccessfulIndices: []int{1}, TotalTransactions: 3, Errors: []error{errors.New("full")}}
			},
		})
		stop := s.start(t, c)
		s.watch.Add(newPod("d"))
		synctest.Wait()
		stop()
		require.Equal(t, []string{"3 changes true", "Added shop/d false"}, p.all())
		require.Contains(t, s.logs(), `key="shop/a and 1 more"`)
		require.Contains(t, s.logs(), "full")
	})
}

// An error of the process function affects only its item and is logged with
// the key. ErrFIFOClosed from a process function does not end the controller.
func TestProcessErrorIsLoggedWithKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newPodSource("a", "b"), &callRecorder{}
		c := New(&Config{
			Queue: NewFIFO(MetaNamespaceKeyFunc), ListerWatcher: s,
			Process: func(obj any, _ bool) error {
				p.record("%s", obj.(*pod).Name)
				return fmt.Errorf("processing %s: %w", obj.(*pod).Name, ErrFIFOClosed)
			},
		})
		stop := s.start(t, c)
		s.watch.Add(newPod("c"))
		synctest.Wait()
		require.ElementsMatch(t, []string{"a", "b", "c"}, p.all())
		stop()
		for _, name := range []string{"a", "b", "c"} {
			require.Contains(t, s.logs(), `key="shop/`+name+`"`)
			require.Contains(t, s.logs(), "processing "+name)
		}
	})
}

func TestKeysOfFailedChangesInLogs(t *testing.T) {
	deltas := []Delta{{Added, newPod("a")}, {Deleted, DeletedFinalStateUnknown{Key: "shop/b"}}, {Sync, 3}}
	none := &TransactionError{SuccessfulIndices: []int{0, 1, 2}}
	for _, c := range []struct{ got, want string }{
		{keyForLog(newPod("a")), "shop/a"},
		{keyForLog(Deltas{deltas[0], deltas[1]}), "shop/b"},
		{keyForLog(Deltas{{ReplacedAll, ReplacedAllInfo{}}}), "ReplacedAll"},
		{keyForLog(Deltas{}), "(a cache.Deltas without a key)"},
		{keyForLog("x"), "(a string without a key)"},
		{keyForLog(nil), "(a <nil> without a key)"},
		{keyForLog(&pod{}), "(a *cache.pod without a key)"},
		{keysForLog(deltas, errors.New("all")), "shop/a and 2 more"},
		{keysForLog(deltas, &TransactionError{SuccessfulIndices: []int{0, 2}}), "shop/b"},
		{keysForLog(deltas, fmt.Errorf("wrapped: %w", &TransactionError{SuccessfulIndices: []int{0, 1}})), "Sync"},
		{keysForLog(deltas, (*TransactionError)(nil)), "shop/a and 2 more"},
		{keysForLog(deltas, none), "(none of the changes)"},
	} {
		require.Equal(t, c.want, c.got)
	}
}

func TestControllerStopsWhenQueueIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewFIFO(MetaNamespaceKeyFunc)
		s := newPodSource("a")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			New(&Config{Queue: queue, ListerWatcher: s, Process: func(any, bool) error { return nil }}).Run(nil)
		}()
		synctest.Wait()
		queue.Close()
		<-ended
		require.True(t, s.watch.IsStopped(), "the watch after Run")
	})
}

// Run waits for a process function that is running, and starts no other one.
func TestRunWaitsForProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newPodSource("a", "b", "c"), &callRecorder{}
		queue := NewFIFO(MetaNamespaceKeyFunc)
		c := New(&Config{Queue: queue, ListerWatcher: s, Process: func(any, bool) error {
			p.record("began")
			time.Sleep(time.Minute)
			p.record("ended")
			return nil
		}})
		stop := s.start(t, c)
		stop()
		require.Equal(t, []string{"began", "ended"}, p.all())
		require.True(t, queue.IsClosed())
		require.True(t, s.watch.IsStopped())
	})
}

func TestControllerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodSource("a")
		c := New(&Config{Queue: NewFIFO(MetaNamespaceKeyFunc), ListerWatcher: s, Process: func(any, bool) error { return nil }})
		stop := s.start(t, c)
		require.Contains(t, logsOf(t, c.RunWithContext), errRanAlready.Error(), "a second run while the first is running")
		stop()
		require.Contains(t, logsOf(t, c.RunWithContext), errRanAlready.Error(), "a second run after the first")
		require.Empty(t, s.logs())
	})
}

func TestControllerReportsMissingConfig(t *testing.T) {
	queue, source := NewFIFO(MetaNamespaceKeyFunc), newPodSource()
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
		require.Contains(t, logsOf(t, made.RunWithContext), c.want.Error())
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
	require.NotEmpty(t, logsOf(t, made.RunWithContext), "the log of a controller with a nil ListWatch")
}

func TestControllerConfiguresReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limits, timeouts []int64
		asked, synced := 0, 0
		down := apierrors.NewServiceUnavailable("down")
		s, p := newPodSource("a"), &callRecorder{}
		watchError := func(_ context.Context, r *Reflector, err error) {
			p.record("%s %v %v", r.TypeDescription(), errors.Is(err, down), r.LastSyncResourceVersion())
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
						return nil, apierrors.NewBadRequest("unknown parameter sendInitialEvents")
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
			ObjectType: &pod{}, ObjectDescription: "shop pods",
			FullResyncPeriod: 10 * time.Second, ShouldResync: func() bool { asked++; return asked > 1 },
			MinWatchTimeout: time.Hour, WatchListPageSize: 7,
			WatchErrorHandlerWithContext: watchError,
		})
		stop := s.start(t, c)
		time.Sleep(36 * time.Second)
		stop()
		require.Equal(t, []int64{7, 7}, limits)
		require.GreaterOrEqual(t, timeouts[0], int64(3600))
		require.Equal(t, []string{"shop pods true "}, p.all())
		require.Equal(t, []int{3, 2}, []int{asked, synced - 1}, "the calls of ShouldResync, and the Syncs except that of the list")
	})
}

// ListKeys and GetByKey make a podSource the KnownObjects of a DeltaFIFO.
func (s *podSource) ListKeys() []string { return []string{"shop/a"} }

func (s *podSource) GetByKey(string) (any, bool, error) {
	return &s.listed.Items[0], true, nil
}

func TestWatchErrorHandlerTakesPrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &callRecorder{}
		s := newPodSource()
		c := New(&Config{
			Queue:             NewFIFO(MetaNamespaceKeyFunc),
			ListerWatcher:     funcSource{list: func() (runtime.Object, error) { return nil, errors.New("down") }, watch: func() (watch.Interface, error) { return nil, errors.New("down") }},
			Process:           func(any, bool) error { return nil },
			WatchErrorHandler: func(r *Reflector, err error) { p.record("first handler: %v", r != nil && err != nil) },
			WatchErrorHandlerWithContext: func(context.Context, *Reflector, error) {
				p.record("second handler")
			},
		})
		stop := s.start(t, c)
		stop()
		require.Contains(t, p.all(), "first handler: true")
		require.NotContains(t, p.all(), "second handler")
	})
}

// countPanics sets whether a panic of a process function ends the process, and
// counts the panics.
func countPanics(t *testing.T, end bool) (counted *int) {
	t.Helper()
	counted = new(int)
	reallyCrash, handlers := utilruntime.ReallyCrash, utilruntime.PanicHandlers
	t.Cleanup(func() { utilruntime.ReallyCrash, utilruntime.PanicHandlers = reallyCrash, handlers })
	utilruntime.ReallyCrash = end
	utilruntime.PanicHandlers = []func(context.Context, any){func(context.Context, any) { *counted++ }}
	return counted
}

func TestProcessPanicIsHandledByHandleCrash(t *testing.T) {
	for _, end := range []bool{false, true} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			counted := countPanics(t, end)
			synctest.Test(t, func(t *testing.T) {
				s, p := newPodSource("a"), &callRecorder{}
				c := New(&Config{Queue: NewFIFO(MetaNamespaceKeyFunc), ListerWatcher: s, Process: func(obj any, _ bool) error {
					if obj.(*pod).Name == "a" {
						panic("failed to process a")
					}
					p.record("%s", obj.(*pod).Name)
					return nil
				}})
				if end {
					require.PanicsWithValue(t, "failed to process a", func() { c.Run(nil) })
					require.True(t, s.watch.IsStopped(), "the watch after Run")
					return
				}
				stop := s.start(t, c)
				s.watch.Add(newPod("b"))
				time.Sleep(time.Second)
				stop()
				require.Equal(t, []string{"b"}, p.all())
				require.Contains(t, s.logs(), errPanicked.Error())
			})
			require.Equal(t, 1, *counted)
		})
	}
}

// A queue that keeps failing is retried with increasing delays. A stop does
// not wait for the delay.
func TestFailingQueueIsRetriedWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := newPodSource("a")
		queue := &customQueue{FIFO: NewFIFO(MetaNamespaceKeyFunc), popError: func() error {
			asked++
			return errors.New("the queue failed")
		}}
		stop := s.start(t, New(&Config{Queue: queue, ListerWatcher: s, Process: func(any, bool) error { return nil }}))
		time.Sleep(time.Minute)
		begin := time.Now()
		stop()
		require.Zero(t, time.Since(begin))
		require.Greater(t, asked, 60)
		require.Less(t, asked, 75)
		require.Contains(t, s.logs(), "the queue failed")
	})
}
