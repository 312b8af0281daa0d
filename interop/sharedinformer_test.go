package interop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/interop"
)

// The type of controller-runtime's cache.Options.NewInformer and similar functions.
var _ func(clientcache.ListerWatcher, runtime.Object, time.Duration, clientcache.Indexers) clientcache.SharedIndexInformer = interop.NewSharedIndexInformer

// lists is a source whose lists return one element of pods after the other, then always the
// last one. Its watches send events; after an Expired event it is listed again.
type lists struct {
	mu     sync.Mutex
	pods   [][]corev1.Pod
	listed int
	fail   int // number of lists that fail first
	events chan watch.Event
}

func (l *lists) List(metav1.ListOptions) (runtime.Object, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail > 0 {
		l.fail--
		return nil, apierrors.NewInternalError(errors.New("as planned"))
	}
	l.listed++
	return &corev1.PodList{
		ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(100 * l.listed)},
		Items:    l.pods[min(l.listed, len(l.pods))-1],
	}, nil
}

func (l *lists) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(l.events), nil
}

// IsWatchListSemanticsUnSupported makes client-go list.
func (l *lists) IsWatchListSemanticsUnSupported() bool { return true }

func (l *lists) expire() {
	status := apierrors.NewResourceExpired("too old").Status()
	l.events <- watch.Event{Type: watch.Error, Object: &status}
}

func listsOf(pods ...[]corev1.Pod) *lists {
	return &lists{pods: pods, events: make(chan watch.Event)}
}

func versioned(name, version string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version, UID: "uid"}}
}

// run runs an informer until the returned function is called or the test ends.
func run(t *testing.T, inf clientcache.SharedIndexInformer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { inf.RunWithContext(ctx) })
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return stop
}

// informersOf returns an informer of each kind that can be converted to client-go's, and
// client-go's own for comparison.
var informersOf = map[string]func(clientcache.ListerWatcher) clientcache.SharedIndexInformer{
	"client-go's": func(lw clientcache.ListerWatcher) clientcache.SharedIndexInformer {
		return clientcache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, clientcache.Indexers{})
	},
	"NewSharedIndexInformer": func(lw clientcache.ListerWatcher) clientcache.SharedIndexInformer {
		return interop.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, clientcache.Indexers{})
	},
	"InformerOf": func(lw clientcache.ListerWatcher) clientcache.SharedIndexInformer {
		return interop.InformerOf(informer.New(cache.ToTyped[*corev1.Pod](lw), informer.Options[*corev1.Pod]{}))
	},
}

// column is an element of informersOf. A typed informer has its transform and its watch
// error handler from its Options.
type column struct {
	theirs, typed bool
	new           func(clientcache.ListerWatcher) clientcache.SharedIndexInformer
}

func eachInformer(t *testing.T, test func(t *testing.T, c column)) {
	for name, new := range informersOf {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, column{name == "client-go's", name == "InformerOf", new}) })
		})
	}
}

// recorder is a handler that records its notifications.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (h *recorder) printf(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

// since returns the notifications since the previous call.
func (h *recorder) since() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := h.lines
	h.lines = nil
	slices.Sort(lines)
	return lines
}

func (h *recorder) OnAdd(obj any, initial bool) {
	h.printf("add %s %t", obj.(*corev1.Pod).Name, initial)
}
func (h *recorder) OnUpdate(old, obj any) {
	h.printf("update %s %s to %s", obj.(*corev1.Pod).Name, old.(*corev1.Pod).ResourceVersion, obj.(*corev1.Pod).ResourceVersion)
}
func (h *recorder) OnDelete(obj any) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		h.printf("delete %s", obj.Name)
	case clientcache.DeletedFinalStateUnknown:
		h.printf("client-go's tombstone of %s, last seen at %s", obj.Key, obj.Obj.(*corev1.Pod).ResourceVersion)
	case cache.DeletedFinalStateUnknown:
		h.printf("our tombstone of %s, last seen at %s", obj.Key, obj.Obj.(*corev1.Pod).ResourceVersion)
	default:
		h.printf("delete of a %T", obj)
	}
}

// Handlers written for client-go receive the same notifications as from client-go's
// informer, in its types; handlers of package cache receive the tombstones of that package.
func TestHandlersReceiveTheirTypes(t *testing.T) {
	eachInformer(t, func(t *testing.T, c column) {
		source := listsOf([]corev1.Pod{versioned("a", "1"), versioned("b", "2")}, nil)
		inf := c.new(source)
		theirs, typed, ours := &recorder{}, &recorder{}, &recorder{}
		_, err := inf.AddEventHandler(theirs)
		require.NoError(t, err)
		_, err = clientcache.NewTypedSharedIndexInformer[*corev1.Pod](inf).AddTypedEventHandler(clientcache.TypedResourceEventHandlerDetailedFuncs[*corev1.Pod]{
			AddFunc: func(p *corev1.Pod, initial bool) { typed.OnAdd(p, initial) },
			DeleteFunc: func(d clientcache.DeletedObject[*corev1.Pod]) {
				if d.FinalStateUnknown != nil {
					typed.printf("%s was deleted, and the final state is unknown", d.GetKey())
				} else {
					typed.printf("%s was deleted", d.GetKey())
				}
			},
		})
		require.NoError(t, err)
		_, err = inf.AddEventHandler(&cache.ResourceEventHandlerFuncs{DeleteFunc: ours.OnDelete})
		require.NoError(t, err)
		run(t, inf)
		synctest.Wait()
		require.Equal(t, []string{"add a true", "add b true"}, theirs.since())
		require.Equal(t, []string{"add a true", "add b true"}, typed.since())

		pod := versioned("a", "101")
		source.events <- watch.Event{Type: watch.Modified, Object: &pod}
		gone := versioned("b", "102")
		source.events <- watch.Event{Type: watch.Deleted, Object: &gone}
		synctest.Wait()
		require.Equal(t, []string{"delete b", "update a 1 to 101"}, theirs.since())
		require.Equal(t, []string{"shop/b was deleted"}, typed.since())
		require.Equal(t, []string{"delete b"}, ours.since())

		source.expire()
		time.Sleep(time.Minute)
		require.Equal(t, []string{"client-go's tombstone of shop/a, last seen at 101"}, theirs.since())
		require.Equal(t, []string{"shop/a was deleted, and the final state is unknown"}, typed.since())
		if !c.theirs { // client-go's informer knows only its own tombstones
			require.Equal(t, []string{"our tombstone of shop/a, last seen at 101"}, ours.since())
		}
	})
}

// A registration reports when its handler has synced, and its end can be waited for with
// client-go's ShutDownEventHandler.
func TestRegistrations(t *testing.T) {
	eachInformer(t, func(t *testing.T, c column) {
		inf := c.new(listsOf([]corev1.Pod{versioned("a", "1")}))
		begun, goOn := make(chan struct{}), make(chan struct{})
		handle, err := inf.AddEventHandler(clientcache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			close(begun)
			<-goOn
		}})
		require.NoError(t, err)
		require.False(t, handle.HasSynced())
		run(t, inf)
		<-begun
		require.True(t, clientcache.WaitForCacheSync(t.Context().Done(), inf.HasSynced))
		require.True(t, clientcache.WaitFor(t.Context(), "", inf.HasSyncedChecker()))
		require.NotEmpty(t, inf.HasSyncedChecker().Name())
		require.False(t, handle.HasSynced())
		require.False(t, clientcache.IsDone(handle.HasSyncedChecker()))

		var down sync.WaitGroup
		ended := make(chan struct{})
		down.Go(func() {
			require.NoError(t, clientcache.ShutDownEventHandler(inf, handle))
			close(ended)
		})
		synctest.Wait()
		select {
		case <-ended:
			t.Error("the handler has ended while its callback ran")
		default:
		}
		close(goOn)
		down.Wait()
		require.NoError(t, inf.RemoveEventHandler(handle), "a second time")

		other, err := inf.AddEventHandlerWithOptions(&recorder{}, clientcache.HandlerOptions{})
		require.NoError(t, err)
		require.True(t, clientcache.WaitFor(t.Context(), "", other.HasSyncedChecker()))
		require.True(t, other.HasSynced())
	})
}

// A nil handler is rejected when it is added, also within a filter of package cache.
// client-go's informers call it.
func TestNilHandlersAreRefused(t *testing.T) {
	inf := interop.NewSharedIndexInformer(listsOf(nil), &corev1.Pod{}, 0, nil)
	for _, handler := range []clientcache.ResourceEventHandler{
		nil, (*clientcache.ResourceEventHandlerFuncs)(nil), (*recorder)(nil), cache.FilteringResourceEventHandler{},
	} {
		_, err := inf.AddEventHandler(handler)
		require.ErrorIs(t, err, informer.ErrNoHandler, "%T", handler)
	}
}

// A handler has its own resync period if the informer has one.
func TestResyncPeriodOfAHandler(t *testing.T) {
	for name, newInformer := range map[string]func(clientcache.ListerWatcher, runtime.Object, time.Duration, clientcache.Indexers) clientcache.SharedIndexInformer{
		"client-go's": clientcache.NewSharedIndexInformer, "ours": interop.NewSharedIndexInformer,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inf := newInformer(listsOf([]corev1.Pod{versioned("a", "1")}), &corev1.Pod{}, time.Minute, nil)
				often, seldom := &recorder{}, &recorder{}
				period := 3 * time.Minute
				_, err := inf.AddEventHandlerWithResyncPeriod(often, time.Minute)
				require.NoError(t, err)
				_, err = inf.AddEventHandlerWithOptions(seldom, clientcache.HandlerOptions{ResyncPeriod: &period})
				require.NoError(t, err)
				run(t, inf)
				time.Sleep(6*time.Minute + 30*time.Second)
				require.InDelta(t, 6, len(often.since())-1, 1)
				require.InDelta(t, 2, len(seldom.since())-1, 1)
			})
		})
	}
}

// A watch error handler receives the error, and a Reflector that client-go's own handler can
// log.
func TestWatchErrorHandler(t *testing.T) {
	eachInformer(t, func(t *testing.T, c column) {
		for _, withContext := range []bool{false, true} {
			source := listsOf(nil)
			source.fail = 2
			inf := c.new(source)
			if c.typed {
				require.Error(t, inf.SetWatchErrorHandlerWithContext(clientcache.DefaultWatchErrorHandler), "it is for its Options")
				continue
			}
			var mu sync.Mutex
			var from []*clientcache.Reflector
			var received []error
			record := func(ctx context.Context, r *clientcache.Reflector, err error) {
				mu.Lock()
				defer mu.Unlock()
				from, received = append(from, r), append(received, err)
				// Another error would be delayed until it is later than the last one
				// outside of this bubble.
				clientcache.DefaultWatchErrorHandler(ctx, r, io.ErrUnexpectedEOF)
			}
			if withContext {
				require.NoError(t, inf.SetWatchErrorHandlerWithContext(record))
			} else {
				require.NoError(t, inf.SetWatchErrorHandler(func(r *clientcache.Reflector, err error) { record(t.Context(), r, err) }))
			}
			stop := run(t, inf)
			time.Sleep(time.Minute)
			require.Error(t, inf.SetWatchErrorHandlerWithContext(record), "it runs")
			stop()
			mu.Lock()
			require.Len(t, received, 2)
			require.True(t, apierrors.IsInternalError(received[0]), "%v", received[0])
			require.Same(t, from[0], from[1])
			require.NotEmpty(t, from[0].Name())
			require.Equal(t, "*v1.Pod", from[0].TypeDescription())
			mu.Unlock()
		}
	})
}

// The other methods of client-go.
func TestOtherInformerMethods(t *testing.T) {
	eachInformer(t, func(t *testing.T, c column) {
		inf := c.new(listsOf([]corev1.Pod{versioned("a", "1"), versioned("b", "2")}))
		transform := func(obj any) (any, error) {
			obj.(*corev1.Pod).Spec.NodeName = "node-of-" + obj.(*corev1.Pod).Name
			return obj, nil
		}
		err := inf.SetTransform(transform)
		require.Equal(t, c.typed, err != nil, "%v", err)
		byNode := clientcache.Indexers{"node": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil }}
		require.NoError(t, inf.AddIndexers(byNode))
		require.False(t, inf.GetController().HasSynced())
		stop := run(t, inf)
		synctest.Wait()

		on, err := inf.GetIndexer().ByIndex("node", "node-of-b")
		require.NoError(t, err)
		require.Equal(t, c.typed, len(on) == 0)
		require.Len(t, inf.GetStore().List(), 2)
		require.Implements(t, (*clientcache.Indexer)(nil), inf.GetStore())
		require.True(t, inf.GetController().HasSynced())
		require.True(t, clientcache.IsDone(inf.GetController().HasSyncedChecker()))
		require.Equal(t, "100", inf.LastSyncResourceVersion())
		require.Equal(t, "100", inf.GetController().LastSyncResourceVersion())
		require.Error(t, inf.SetTransform(transform), "it runs")
		require.Error(t, inf.AddIndexers(byNode), "the name is taken")
		require.False(t, inf.IsStopped())
		stop()
		require.True(t, inf.IsStopped())
		_, err = inf.AddEventHandler(&recorder{})
		require.Error(t, err, "it has stopped")
	})
}
