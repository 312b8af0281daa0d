package cache

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// running runs a Reflector in a bubble until what it returns is called, which
// waits for it.
func running(r *Reflector) (stop func()) {
	stopCh := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { r.Run(stopCh) })
	return func() {
		close(stopCh)
		wg.Wait()
	}
}

// A Reflector keeps a store equal to the server, in both ways of decoding.
func TestReflectorFillsAStore(t *testing.T) {
	for name, lwOf := range map[string]func(*rest.RESTClient) ListerWatcher{
		"streamed": func(c *rest.RESTClient) ListerWatcher { return podsOf(c) },
		"decoded":  func(c *rest.RESTClient) ListerWatcher { return byHand(podsOf(c)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, client := serverWithClient(t)
				apitest.Create(t, srv, aPod("a"))
				var expected any = &pod{}
				if name == "decoded" {
					expected = &unstructured.Unstructured{}
				}
				store, r := NewNamespaceKeyedIndexerAndReflector(lwOf(client), expected, 0)
				require.Empty(t, r.LastSyncResourceVersion())
				stop := running(r)
				time.Sleep(time.Second)
				apitest.Create(t, srv, aPod("b"))
				apitest.Modify(t, srv, aPod("a"), func(p *pod) { p.Labels = map[string]string{"app": "x"} })
				time.Sleep(time.Second)
				require.ElementsMatch(t, []string{"shop/a", "shop/b"}, store.ListKeys())
				found, err := store.ByIndex(NamespaceIndex, "shop")
				require.NoError(t, err)
				require.Len(t, found, 2)
				a, exists, err := store.GetByKey("shop/a")
				require.NoError(t, err)
				require.True(t, exists)
				require.IsType(t, expected, a)
				require.Equal(t, map[string]string{"app": "x"}, a.(metav1.Object).GetLabels())
				apitest.Delete(t, srv, aPod("b"))
				time.Sleep(time.Second)
				require.Equal(t, []string{"shop/a"}, store.ListKeys())
				require.Equal(t, store.LastStoreSyncResourceVersion(), r.LastSyncResourceVersion())
				stop()
				apitest.Create(t, srv, aPod("c"))
				time.Sleep(time.Second)
				require.Equal(t, []string{"shop/a"}, store.ListKeys(), "it has stopped")
			})
		})
	}
}

// handMade is a ListerWatcher of the oldest form, of a list and a watch.
type handMade struct {
	list  func() (runtime.Object, error)
	watch func() (watch.Interface, error)
}

func (h handMade) List(metav1.ListOptions) (runtime.Object, error)   { return h.list() }
func (h handMade) Watch(metav1.ListOptions) (watch.Interface, error) { return h.watch() }

func listOf(version string, names ...string) *podList {
	l := &podList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, name := range names {
		l.Items = append(l.Items, *aPod(name))
	}
	return l
}

// A source without versions, as fakes are, is listed and followed.
func TestReflectorOnAFakeWithoutVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(handMade{
			list:  func() (runtime.Object, error) { return listOf("", "a"), nil },
			watch: func() (watch.Interface, error) { return fake, nil },
		}, &pod{}, store, 0)
		stop := running(r)
		defer stop()
		synctest.Wait()
		require.Equal(t, []string{"shop/a"}, store.ListKeys(), "at once: it is not waited for a mark that fakes do not send")
		fake.Add(aPod("b"))
		fake.Modify(aPod("a"))
		fake.Delete(aPod("a"))
		synctest.Wait()
		require.Equal(t, []string{"shop/b"}, store.ListKeys())
	})
}

// The name of a Reflector is where it was made; its type, what it expects.
func TestReflectorIsNamed(t *testing.T) {
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	for want, expected := range map[string]any{
		"<unspecified>":              nil,
		"*cache.pod":                 &pod{},
		"*unstructured.Unstructured": &unstructured.Unstructured{},
		"apps/v1, Kind=Deployment":   kind,
	} {
		require.Equal(t, want, NewNamedReflector("pods", nil, expected, nil, 0).TypeDescription())
	}
	require.Equal(t, "pods", NewNamedReflector("pods", nil, nil, nil, 0).Name())
	require.Equal(t, "things", NewReflectorWithOptions(nil, nil, nil, ReflectorOptions{TypeDescription: "things"}).TypeDescription())
}

// logged runs a function with a context whose log is returned.
func logged(t *testing.T, run func(ctx context.Context)) string {
	t.Helper()
	var out bytes.Buffer
	run(klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))))
	return out.String()
}

// What cannot run says so in the log and returns; it does not panic.
func TestReflectorThatCannotRun(t *testing.T) {
	lw := handMade{list: func() (runtime.Object, error) { return listOf("1"), nil }}
	for name, c := range map[string]struct {
		r    *Reflector
		want error
	}{
		"without a ListerWatcher": {NewReflector(nil, &pod{}, NewStore(MetaNamespaceKeyFunc), 0), reflector.ErrNoSource},
		"with a nil ListWatch":    {NewReflector((*ListWatch)(nil), &pod{}, NewStore(MetaNamespaceKeyFunc), 0), reflector.ErrNoSource},
		"without a store":         {NewReflector(lw, &pod{}, nil, 0), reflector.ErrNoStore},
		"as a view":               {newReflectorView("pods", "*v1.Pod", func() string { return "7" }), errView},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, c.r.ListAndWatchWithContext(t.Context()), c.want)
			require.Contains(t, logged(t, c.r.RunWithContext), c.want.Error())
		})
	}
	require.Equal(t, "7", newReflectorView("pods", "*v1.Pod", func() string { return "7" }).LastSyncResourceVersion())
}

// A second Run beside the first logs that, and changes nothing.
func TestReflectorRunsOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(handMade{
			list:  func() (runtime.Object, error) { return listOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return watch.NewFake(), nil },
		}, &pod{}, store, 0)
		stop := running(r)
		defer stop()
		synctest.Wait()
		require.Contains(t, logged(t, r.RunWithContext), reflector.ErrRunning.Error())
		require.Equal(t, []string{"shop/a"}, store.ListKeys())
	})
}

// The fields count as they are when it runs: the pages are as large as is said,
// and a resync happens when ShouldResync says so.
func TestReflectorReadsItsFieldsWhenItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limits []int64
		resyncs, asked := 0, 0
		store := &resynced{Store: NewStore(MetaNamespaceKeyFunc), did: func() { resyncs++ }}
		r := NewReflector(&ListWatch{
			ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
				limits = append(limits, o.Limit)
				l := listOf("1", "a")
				if o.Continue == "" {
					l.Continue = "more"
				}
				return l, nil
			},
			WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
		}, &pod{}, store, 10*time.Second)
		r.WatchListPageSize = 7
		r.ShouldResync = func() bool { asked++; return asked > 1 }
		stop := running(r)
		time.Sleep(35 * time.Second)
		stop()
		require.Equal(t, []int64{7, 7}, limits)
		require.Equal(t, []int{3, 2}, []int{asked, resyncs})
	})
}

type resynced struct {
	Store
	did func()
}

func (s *resynced) Resync() error {
	s.did()
	return nil
}

// A failure is told to the handler, with the Reflector, and tried again after the
// backoff of the options.
func TestReflectorTellsWatchErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		var at []time.Duration
		begin := time.Now()
		down := apierrors.NewServiceUnavailable("down")
		r := NewReflectorWithOptions(handMade{list: func() (runtime.Object, error) {
			at = append(at, time.Since(begin))
			return nil, down
		}}, &pod{}, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{
			Name: "pods", Backoff: &wait.Backoff{Duration: time.Second, Factor: 3, Steps: 3},
		})
		r.watchErrorHandler = func(_ context.Context, of *Reflector, err error) {
			require.Same(t, r, of)
			told = append(told, err)
		}
		stop := running(r)
		time.Sleep(23 * time.Second)
		stop()
		require.Equal(t, []time.Duration{0, 1e9, 4e9, 13e9, 22e9}, at)
		require.Len(t, told, len(at))
		require.True(t, apierrors.IsServiceUnavailable(told[0]))
	})
}

// What is of another type costs only itself.
func TestReflectorPassesOverWrongTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(handMade{
			list:  func() (runtime.Object, error) { return listOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return fake, nil },
		}, &pod{}, store, 0)
		var told []error
		r.watchErrorHandler = func(_ context.Context, _ *Reflector, err error) { told = append(told, err) }
		stop := running(r)
		defer stop()
		synctest.Wait()
		stranger := &unstructured.Unstructured{Object: map[string]any{}}
		stranger.SetName("stranger")
		stranger.SetResourceVersion("5")
		fake.Add(stranger)
		fake.Add(aPod("b"))
		synctest.Wait()
		require.ElementsMatch(t, []string{"shop/a", "shop/b"}, store.ListKeys())
		require.Len(t, told, 1)
		var item *rest.ItemError
		require.ErrorAs(t, told[0], &item)
		require.Equal(t, "stranger", item.Name)
		require.ErrorContains(t, item, "*unstructured.Unstructured")
		require.ErrorContains(t, item, "*cache.pod")
		require.Equal(t, "5", r.LastSyncResourceVersion(), "its version is passed all the same")
	})
}

// Run ends although the ListerWatcher never returns.
func TestReflectorEndsThoughTheListHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		late := watch.NewFake()
		for _, lw := range []handMade{
			{list: func() (runtime.Object, error) { <-hang; return nil, errors.New("too late") }},
			{
				list:  func() (runtime.Object, error) { return listOf("1"), nil },
				watch: func() (watch.Interface, error) { <-hang; return late, nil },
			},
		} {
			stop := running(NewReflector(lw, &pod{}, NewStore(MetaNamespaceKeyFunc), 0))
			time.Sleep(time.Second)
			begin := time.Now()
			stop()
			require.LessOrEqual(t, time.Since(begin), lastWords)
		}
		close(hang)
		synctest.Wait()
		require.True(t, late.IsStopped(), "a watch that comes too late is stopped")
	})
}

// A panic of a ListerWatcher is a failure like others.
func TestReflectorSurvivesAPanicOfTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(handMade{
			list: func() (runtime.Object, error) {
				if calls++; calls == 1 {
					panic("nobody thought of this")
				}
				return listOf("1", "a"), nil
			},
			watch: func() (watch.Interface, error) { return watch.NewFake(), nil },
		}, &pod{}, store, 0)
		var told []error
		r.watchErrorHandler = func(_ context.Context, _ *Reflector, err error) { told = append(told, err) }
		stop := running(r)
		time.Sleep(time.Minute)
		stop()
		require.Len(t, told, 1)
		require.ErrorContains(t, told[0], "nobody thought of this")
		require.Equal(t, []string{"shop/a"}, store.ListKeys())
	})
}

// ListAndWatch returns when everything has to be read again, and says why.
func TestListAndWatchReturnsWhatEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		r := NewReflector(handMade{
			list:  func() (runtime.Object, error) { return listOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return fake, nil },
		}, &pod{}, NewStore(MetaNamespaceKeyFunc), 0)
		ended := make(chan error, 1)
		go func() { ended <- r.ListAndWatch(nil) }()
		synctest.Wait()
		fake.Error(&metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old"})
		require.True(t, apierrors.IsResourceExpired(<-ended))

		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- r.ListAndWatchWithContext(ctx) }()
		synctest.Wait()
		cancel()
		require.NoError(t, <-ended, "whoever has ended it knows why")
	})
}

// A watch that ends as soon as it was opened is a VeryShortWatchError.
func TestVeryShortWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewNamedReflector("pods", handMade{
			list:  func() (runtime.Object, error) { return listOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return watch.NewEmptyWatch(), nil },
		}, &pod{}, NewStore(MetaNamespaceKeyFunc), 0)
		var told []error
		r.watchErrorHandler = func(_ context.Context, _ *Reflector, err error) { told = append(told, err) }
		stop := running(r)
		time.Sleep(500 * time.Millisecond)
		stop()
		require.Len(t, told, 1)
		var short *VeryShortWatchError
		require.ErrorAs(t, told[0], &short)
		require.Equal(t, "pods", short.Name)
	})
}
