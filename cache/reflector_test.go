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
	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// startReflector runs a Reflector in a synctest bubble. stop waits for its
// end.
func startReflector(r *Reflector) (stop func()) {
	stopCh := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { r.Run(stopCh) })
	return func() {
		close(stopCh)
		wg.Wait()
	}
}

// A Reflector keeps a store equal to the server, whether this package or the
// client decodes the responses.
func TestReflectorFillsStore(t *testing.T) {
	for name, lwOf := range map[string]func(*rest.RESTClient) ListerWatcher{
		"streamed": func(c *rest.RESTClient) ListerWatcher { return podListWatch(c) },
		"decoded":  func(c *rest.RESTClient) ListerWatcher { return withFunctionsOnly(podListWatch(c)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, client := serverWithClient(t)
				apitest.Create(t, srv, newPod("a"))
				var expected any = &pod{}
				if name == "decoded" {
					expected = &unstructured.Unstructured{}
				}
				store, r := NewNamespaceKeyedIndexerAndReflector(lwOf(client), expected, 0)
				require.Empty(t, r.LastSyncResourceVersion())
				stop := startReflector(r)
				time.Sleep(time.Second)
				apitest.Create(t, srv, newPod("b"))
				apitest.Modify(t, srv, newPod("a"), func(p *pod) { p.Labels = map[string]string{"app": "x"} })
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
				apitest.Delete(t, srv, newPod("b"))
				time.Sleep(time.Second)
				require.Equal(t, []string{"shop/a"}, store.ListKeys())
				require.Equal(t, store.LastStoreSyncResourceVersion(), r.LastSyncResourceVersion())
				stop()
				apitest.Create(t, srv, newPod("c"))
				time.Sleep(time.Second)
				require.Equal(t, []string{"shop/a"}, store.ListKeys(), "the store after the Reflector has stopped")
			})
		})
	}
}

// funcSource is a ListerWatcher without contexts, made of two functions.
type funcSource struct {
	list  func() (runtime.Object, error)
	watch func() (watch.Interface, error)
}

func (s funcSource) List(metav1.ListOptions) (runtime.Object, error) { return s.list() }

func (s funcSource) Watch(metav1.ListOptions) (watch.Interface, error) { return s.watch() }

func podListOf(version string, names ...string) *podList {
	l := &podList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, name := range names {
		l.Items = append(l.Items, *newPod(name))
	}
	return l
}

// A source without versions, such as a fake, is listed and watched.
func TestReflectorWithFakeWithoutVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(funcSource{
			list:  func() (runtime.Object, error) { return podListOf("", "a"), nil },
			watch: func() (watch.Interface, error) { return fake, nil },
		}, &pod{}, store, 0)
		stop := startReflector(r)
		defer stop()
		synctest.Wait()
		require.Equal(t, []string{"shop/a"}, store.ListKeys(), "the store before any bookmark, which fakes do not send")
		fake.Add(newPod("b"))
		fake.Modify(newPod("a"))
		fake.Delete(newPod("a"))
		synctest.Wait()
		require.Equal(t, []string{"shop/b"}, store.ListKeys())
	})
}

// The default name of a Reflector is the line that created it, and its default
// type description is the expected type.
func TestReflectorDefaultNames(t *testing.T) {
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

// logsOf returns the log of a function that logs to its context.
func logsOf(t *testing.T, run func(ctx context.Context)) string {
	t.Helper()
	var out bytes.Buffer
	run(klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))))
	return out.String()
}

// A Reflector that cannot run logs the reason and returns; it does not panic.
func TestReflectorLogsWhyItCannotRun(t *testing.T) {
	lw := funcSource{list: func() (runtime.Object, error) { return podListOf("1"), nil }}
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
			require.Contains(t, logsOf(t, c.r.RunWithContext), c.want.Error())
		})
	}
	require.Equal(t, "7", newReflectorView("pods", "*v1.Pod", func() string { return "7" }).LastSyncResourceVersion())
}

// A second concurrent Run logs an error and has no other effect.
func TestReflectorRunsOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(funcSource{
			list:  func() (runtime.Object, error) { return podListOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return watch.NewFake(), nil },
		}, &pod{}, store, 0)
		stop := startReflector(r)
		defer stop()
		synctest.Wait()
		require.Contains(t, logsOf(t, r.RunWithContext), reflector.ErrRunning.Error())
		require.Equal(t, []string{"shop/a"}, store.ListKeys())
	})
}

// The fields are read when the Reflector runs: page size, and ShouldResync.
func TestReflectorReadsItsFieldsWhenItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limits []int64
		resyncs, asked := 0, 0
		store := &resyncCounter{Store: NewStore(MetaNamespaceKeyFunc), did: func() { resyncs++ }}
		r := NewReflector(&ListWatch{
			ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
				limits = append(limits, o.Limit)
				l := podListOf("1", "a")
				if o.Continue == "" {
					l.Continue = "more"
				}
				return l, nil
			},
			WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
		}, &pod{}, store, 10*time.Second)
		r.WatchListPageSize = 7
		r.ShouldResync = func() bool { asked++; return asked > 1 }
		stop := startReflector(r)
		time.Sleep(35 * time.Second)
		stop()
		require.Equal(t, []int64{7, 7}, limits)
		require.Equal(t, []int{3, 2}, []int{asked, resyncs})
	})
}

type resyncCounter struct {
	Store
	did func()
}

func (c *resyncCounter) Resync() error {
	c.did()
	return nil
}

// A failure is reported to the handler, with the Reflector, and retried after
// the backoff of the options.
func TestReflectorReportsWatchErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		var at []time.Duration
		begin := time.Now()
		down := apierrors.NewServiceUnavailable("down")
		r := NewReflectorWithOptions(funcSource{list: func() (runtime.Object, error) {
			at = append(at, time.Since(begin))
			return nil, down
		}}, &pod{}, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{
			Name: "pods", Backoff: &wait.Backoff{Duration: time.Second, Factor: 3, Steps: 3},
		})
		r.watchErrorHandler = func(_ context.Context, reflector *Reflector, err error) {
			require.Same(t, r, reflector)
			errs = append(errs, err)
		}
		stop := startReflector(r)
		time.Sleep(23 * time.Second)
		stop()
		require.Equal(t, []time.Duration{0, 1e9, 4e9, 13e9, 22e9}, at)
		require.Len(t, errs, len(at))
		require.True(t, apierrors.IsServiceUnavailable(errs[0]))
	})
}

// An object of another type affects no other object.
func TestReflectorSkipsUnexpectedTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(funcSource{
			list:  func() (runtime.Object, error) { return podListOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return fake, nil },
		}, &pod{}, store, 0)
		var errs []error
		r.watchErrorHandler = func(_ context.Context, _ *Reflector, err error) { errs = append(errs, err) }
		stop := startReflector(r)
		defer stop()
		synctest.Wait()
		other := &unstructured.Unstructured{Object: map[string]any{}}
		other.SetName("other")
		other.SetResourceVersion("5")
		fake.Add(other)
		fake.Add(newPod("b"))
		synctest.Wait()
		require.ElementsMatch(t, []string{"shop/a", "shop/b"}, store.ListKeys())
		require.Len(t, errs, 1)
		var item *rest.ItemError
		require.ErrorAs(t, errs[0], &item)
		require.Equal(t, "other", item.Name)
		require.ErrorContains(t, item, "*unstructured.Unstructured")
		require.ErrorContains(t, item, "*cache.pod")
		require.Equal(t, "5", r.LastSyncResourceVersion(), "the version of a skipped object counts")
	})
}

// Run ends even if the ListerWatcher never returns.
func TestReflectorStopsDuringHangingList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		late := watch.NewFake()
		for _, lw := range []funcSource{
			{list: func() (runtime.Object, error) { <-hang; return nil, errors.New("late") }},
			{
				list:  func() (runtime.Object, error) { return podListOf("1"), nil },
				watch: func() (watch.Interface, error) { <-hang; return late, nil },
			},
		} {
			stop := startReflector(NewReflector(lw, &pod{}, NewStore(MetaNamespaceKeyFunc), 0))
			time.Sleep(time.Second)
			begin := time.Now()
			stop()
			require.LessOrEqual(t, time.Since(begin), decoded.CallGracePeriod)
		}
		close(hang)
		synctest.Wait()
		require.True(t, late.IsStopped(), "a watch that is returned late")
	})
}

// Tests with goleak do not fail because of a late watch of a fake: Run waits
// for a slow function and stops the watch that it returns.
func TestRunWaitsForLateWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		asked, returned := make(chan struct{}), false
		lw := fakeListWatch(fake)
		lw.WatchFunc = func(metav1.ListOptions) (watch.Interface, error) {
			close(asked)
			time.Sleep(5 * time.Second)
			returned = true
			return fake, nil
		}
		i := NewSharedIndexInformer(lw, &metav1.PartialObjectMetadata{}, 0, Indexers{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { i.RunWithContext(ctx); close(ended) }()
		<-asked
		cancel()
		<-ended
		require.True(t, returned)
		require.True(t, fake.IsStopped())
	})
}

// A panic of a ListerWatcher is handled as any other failure.
func TestReflectorRecoversFromSourcePanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflector(funcSource{
			list: func() (runtime.Object, error) {
				if calls++; calls == 1 {
					panic("the source failed")
				}
				return podListOf("1", "a"), nil
			},
			watch: func() (watch.Interface, error) { return watch.NewFake(), nil },
		}, &pod{}, store, 0)
		var errs []error
		r.watchErrorHandler = func(_ context.Context, _ *Reflector, err error) { errs = append(errs, err) }
		stop := startReflector(r)
		time.Sleep(time.Minute)
		stop()
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], "the source failed")
		require.Equal(t, []string{"shop/a"}, store.ListKeys())
	})
}

// ListAndWatch returns the error that requires a relist.
func TestListAndWatchReturnsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := watch.NewFake()
		r := NewReflector(funcSource{
			list:  func() (runtime.Object, error) { return podListOf("1", "a"), nil },
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
		require.NoError(t, <-ended, "the end of the context is not an error")
	})
}

// A watch that ends immediately is a VeryShortWatchError.
func TestImmediateEndIsVeryShortWatchError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewNamedReflector("pods", funcSource{
			list:  func() (runtime.Object, error) { return podListOf("1", "a"), nil },
			watch: func() (watch.Interface, error) { return watch.NewEmptyWatch(), nil },
		}, &pod{}, NewStore(MetaNamespaceKeyFunc), 0)
		var errs []error
		r.watchErrorHandler = func(_ context.Context, _ *Reflector, err error) { errs = append(errs, err) }
		stop := startReflector(r)
		time.Sleep(500 * time.Millisecond)
		stop()
		require.Len(t, errs, 2, "the first watch is resumed immediately, the second after a delay")
		for _, err := range errs {
			var short *VeryShortWatchError
			require.ErrorAs(t, err, &short)
			require.Equal(t, "pods", short.Name)
		}
	})
}
