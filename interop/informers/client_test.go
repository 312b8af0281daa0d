package informers_test

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/informers"
)

// synced runs an informer of pods of the namespace shop until it has synchronised, and
// returns its keys.
func synced(t *testing.T, factory clientgo.SharedInformerFactory) []string {
	t.Helper()
	informer := factory.Core().V1().Pods().Informer()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer cancel()
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
	return informer.GetStore().ListKeys()
}

// requests is a transport that records the Accept headers of its requests, and which of them
// are sent by the client of a generated clientset, which decodes the response itself.
type requests struct {
	http.RoundTripper

	mu        sync.Mutex
	accepts   []string
	generated int
}

func (a *requests) RoundTrip(r *http.Request) (*http.Response, error) {
	var stack [64 << 10]byte
	sent := string(stack[:runtime.Stack(stack[:], false)])
	a.mu.Lock()
	a.accepts = append(a.accepts, r.Header.Get("Accept"))
	if strings.Contains(sent, "k8s.io/client-go/gentype.") {
		a.generated++
	}
	a.mu.Unlock()
	return a.RoundTripper.RoundTrip(r)
}

// This module decodes the responses of a clientset. Its requests accept what the clientset
// is configured to accept, as client-go's do: a transport may read the bodies. The default
// is protobuf.
func TestTheBytesOfAClientsetAreDecodedHere(t *testing.T) {
	srv := serverOf(t)
	apitest.Create(t, srv, pod("shop", "web-0", "web"))
	for name, c := range map[string]struct {
		config rest.ContentConfig
		accept string
	}{
		"default":     {rest.ContentConfig{}, "application/vnd.kubernetes.protobuf,application/json"},
		"JSON":        {rest.ContentConfig{AcceptContentTypes: "application/json"}, "application/json"},
		"JSON bodies": {rest.ContentConfig{ContentType: "application/json"}, "application/json, */*"},
	} {
		t.Run(name, func(t *testing.T) {
			over := &requests{}
			config := configOf(srv)
			config.ContentConfig = c.config
			config.WrapTransport = func(inner http.RoundTripper) http.RoundTripper { over.RoundTripper = inner; return over }
			client, err := kubernetes.NewForConfig(config)
			require.NoError(t, err)
			require.Equal(t, []string{"shop/web-0"}, synced(t, informers.NewSharedInformerFactory(client, 0)))
			require.NotEmpty(t, over.accepts)
			require.Zero(t, over.generated, "client-go decodes a response")
			for _, accepted := range over.accepts {
				require.Equal(t, c.accept, accepted)
			}
			over.accepts = nil
			require.Equal(t, []string{"shop/web-0"}, synced(t, clientgo.NewSharedInformerFactory(client, 0)))
			require.NotZero(t, over.generated, "the test does not recognise the requests of client-go")
			for _, accepted := range over.accepts {
				require.Equal(t, c.accept, accepted)
			}
		})
	}
}

func configOf(srv *apitest.Server) *rest.Config {
	config := srv.Config()
	return &rest.Config{
		Host: config.Host, TLSClientConfig: rest.TLSClientConfig{CAData: config.TLS.CAData}, BearerToken: config.BearerToken, QPS: -1,
	}
}

// exchanged is a program's clientset that passes its calls to another one.
type exchanged struct {
	kubernetes.Interface
	current *atomic.Pointer[kubernetes.Clientset]
	calls   *atomic.Int32
}

func (e exchanged) CoreV1() typedcorev1.CoreV1Interface {
	e.calls.Add(1)
	return e.current.Load().CoreV1()
}

// Each request is sent with the client that the clientset returns then, as client-go's: a
// program can exchange it, for example for another server. The clientset is also called
// when an informer is requested, which decides how its responses are read.
func TestAClientsetThatExchangesItsClient(t *testing.T) {
	first, second := serverOf(t), serverOf(t)
	apitest.Create(t, first, pod("shop", "first", "web"))
	apitest.Create(t, second, pod("shop", "second", "web"))
	var clients []*kubernetes.Clientset
	for _, srv := range []*apitest.Server{first, second} {
		client, err := kubernetes.NewForConfig(configOf(srv))
		require.NoError(t, err)
		clients = append(clients, client)
	}
	for name, newFactory := range map[string]func(kubernetes.Interface) clientgo.SharedInformerFactory{
		"client-go": func(client kubernetes.Interface) clientgo.SharedInformerFactory {
			return clientgo.NewSharedInformerFactory(client, 0)
		},
		"ours": func(client kubernetes.Interface) clientgo.SharedInformerFactory {
			return informers.NewSharedInformerFactory(client, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := exchanged{clients[0], &atomic.Pointer[kubernetes.Clientset]{}, &atomic.Int32{}}
			client.current.Store(clients[0])
			factory := newFactory(client)
			factory.Core().V1().Pods().Informer()
			require.Equal(t, name == "ours", client.calls.Load() > 0, "clientset-called")
			client.current.Store(clients[1])
			require.Equal(t, []string{"shop/second"}, synced(t, factory))
		})
	}
}

// A clientset that no longer has a REST client is an error that says so.
func TestAClientsetThatLosesItsClient(t *testing.T) {
	srv := serverOf(t)
	real, err := kubernetes.NewForConfig(configOf(srv))
	require.NoError(t, err)
	client := exchanged{real, &atomic.Pointer[kubernetes.Clientset]{}, &atomic.Int32{}}
	client.current.Store(real)
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	failures := make(chan error, 1)
	require.NoError(t, informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *clientcache.Reflector, err error) {
		select {
		case failures <- err:
		default:
		}
	}))
	client.current.Store(nil)
	ctx, cancel := context.WithCancel(t.Context())
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer cancel()
	require.ErrorContains(t, <-failures, "now has none")
}

// wrapped is a program's clientset that changes the reads of pods.
type wrapped struct {
	kubernetes.Interface
	lists   *atomic.Int32
	streams bool
}

func (w wrapped) CoreV1() typedcorev1.CoreV1Interface {
	return wrappedCore{w.Interface.CoreV1(), w.lists}
}

// A clientset with this method tells its factory whether it can stream the initial events.
func (w wrapped) IsWatchListSemanticsUnSupported() bool { return !w.streams }

type wrappedCore struct {
	typedcorev1.CoreV1Interface
	lists *atomic.Int32
}

func (w wrappedCore) Pods(namespace string) typedcorev1.PodInterface {
	return wrappedPods{w.CoreV1Interface.Pods(namespace), w.lists}
}

type wrappedPods struct {
	typedcorev1.PodInterface
	lists *atomic.Int32
}

func (w wrappedPods) List(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
	w.lists.Add(1)
	list, err := w.PodInterface.List(ctx, options)
	if err != nil {
		return nil, err
	}
	list.Items = slices.DeleteFunc(list.Items, func(p corev1.Pod) bool { return p.Labels["app"] == "hidden" })
	return list, nil
}

// The List of a program's wrapper around a typed client is called, and only its Watch if the
// clientset can stream the initial events.
func TestAWrapperAroundATypedClientIsRespected(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		apitest.Create(t, srv, pod("shop", "web-0", "web"))
		apitest.Create(t, srv, pod("shop", "web-1", "hidden"))
		for _, streams := range []bool{false, true} {
			client := wrapped{clientsetOf(t, srv, nil), new(atomic.Int32), streams}
			keys := synced(t, newFactory(client, settings{namespace: "shop"}))
			if streams {
				require.ElementsMatch(t, []string{"shop/web-0", "shop/web-1"}, keys)
				require.Zero(t, client.lists.Load())
			} else {
				require.Equal(t, []string{"shop/web-0"}, keys)
				require.EqualValues(t, 1, client.lists.Load())
			}
		}
	})
}

// A fake clientset, which has no REST client, is listed and watched, with the tweak and the
// namespace of the factory.
func TestAFakeClientset(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		client := fake.NewClientset(pod("shop", "web-0", "web"), pod("shop", "db-0", "db"), pod("default", "web-1", "web"))
		factory := newFactory(client, settings{namespace: "shop", tweak: func(o *metav1.ListOptions) { o.LabelSelector = "app=web" }})
		lines := make(chan string, 10)
		_, err := factory.Core().V1().Pods().Informer().AddEventHandler(records(lines))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
		require.Equal(t, "initial shop/web-0 web ", next(t, lines))
		// The fake loses the changes between the list and the watch.
		require.Eventually(t, func() bool {
			return slices.ContainsFunc(client.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() == "watch" })
		}, 2*time.Minute, 5*time.Millisecond)
		for _, action := range client.Actions() {
			require.Equal(t, "shop", action.GetNamespace())
		}
		_, err = client.CoreV1().Pods("shop").Create(ctx, pod("shop", "web-2", "web"), metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, "add shop/web-2 web ", next(t, lines))
	})
}

// A factory without a clientset gives its informers to tests that never start them; one that
// is started fails, and does not panic.
func TestWithoutAClientset(t *testing.T) {
	factory := informers.NewSharedInformerFactory(nil, 0)
	informer := factory.Core().V1().Pods().Informer()
	require.NoError(t, informer.GetIndexer().Add(pod("shop", "web-0", "web")))
	found, err := factory.Core().V1().Pods().Lister().Pods("shop").Get("web-0")
	require.NoError(t, err)
	require.Equal(t, "web-0", found.Name)

	failed := make(chan error, 10)
	unset := informers.NewSharedInformerFactory((*kubernetes.Clientset)(nil), 0)
	require.NoError(t, unset.Core().V1().Pods().Informer().SetWatchErrorHandler(func(_ *clientcache.Reflector, err error) {
		select {
		case failed <- err:
		default:
		}
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	unset.StartWithContext(ctx)
	defer unset.Shutdown()
	defer cancel()
	select {
	case err := <-failed:
		require.ErrorContains(t, err, "read pods: the informer was created with a client that is nil")
	case <-time.After(2 * time.Minute):
		t.Fatal("the informer does not fail")
	}
}

// The TimeoutSeconds of a tweak limit a list of a server that is silent. The request has
// both forms of the limit, as that of a generated client.
func TestTheTimeLimitOfAList(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		silent := lists{asked: make(chan string, 100)}
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://server", Transport: silent, QPS: -1})
		require.NoError(t, err)
		one := int64(1)
		factory := newFactory(listing{client}, settings{tweak: func(o *metav1.ListOptions) { o.TimeoutSeconds = &one }})
		factory.Core().V1().Pods().Informer()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		for range 2 {
			select {
			case query := <-silent.asked:
				require.Contains(t, query, "timeout=1s")
				require.Contains(t, query, "timeoutSeconds=1")
			case <-time.After(time.Minute):
				t.Fatal("the list has no limit")
			}
		}
	})
}

// listing is a clientset that does not stream the initial events.
type listing struct{ kubernetes.Interface }

func (listing) IsWatchListSemanticsUnSupported() bool { return true }

// lists is a transport that reports the queries of lists, and answers none.
type lists struct{ asked chan string }

func (l lists) RoundTrip(r *http.Request) (*http.Response, error) {
	l.asked <- r.URL.RawQuery
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// withPods is a stub of a program's test: a clientset with pods only.
type withPods struct {
	kubernetes.Interface
	pods kubernetes.Interface
}

func (w withPods) CoreV1() typedcorev1.CoreV1Interface { return w.pods.CoreV1() }

func (w withPods) IsWatchListSemanticsUnSupported() bool { return true }

// The informers of a stub that lacks a group can be requested, from the same factory as
// those of the group that it has.
func TestAnIncompleteClientset(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		factory := newFactory(withPods{pods: fake.NewClientset(pod("shop", "web-0", "web"))}, settings{})
		require.Equal(t, []string{"shop/web-0"}, synced(t, factory))
		deployments := factory.Apps().V1().Deployments()
		require.False(t, deployments.Informer().HasSynced())
		found, err := deployments.Lister().List(labels.Everything())
		require.NoError(t, err)
		require.Empty(t, found)
	})
}

// NewInformer and NewFilteredInformer read their namespace, with their tweak and their
// indexers. A type that is no kind of the factory is a mistake in the program.
func TestInformersWithoutAFactory(t *testing.T) {
	srv := serverOf(t)
	for _, p := range []*corev1.Pod{pod("shop", "web-0", "web"), pod("shop", "db-0", "db"), pod("default", "web-1", "web")} {
		apitest.Create(t, srv, p)
	}
	client := clientsetOf(t, srv, nil)
	byApp := clientcache.Indexers{"app": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels["app"]}, nil }}
	for _, test := range []struct {
		informer clientcache.SharedIndexInformer
		want     []string
	}{
		{informers.NewInformer[*corev1.Pod](client, "", 0, byApp), []string{"shop/web-0", "default/web-1"}},
		{informers.NewFilteredInformer[*corev1.Pod](client, "shop", 0, byApp, nil), []string{"shop/web-0"}},
		{informers.NewFilteredInformer[*corev1.Pod](client, "shop", 0, byApp, func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=none" }), nil},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		done := make(chan struct{})
		go func() { defer close(done); test.informer.RunWithContext(ctx) }()
		require.True(t, clientcache.WaitForCacheSync(ctx.Done(), test.informer.HasSynced))
		keys, err := test.informer.GetIndexer().IndexKeys("app", "web")
		require.NoError(t, err)
		require.ElementsMatch(t, test.want, keys)
		cancel()
		<-done
	}
	require.PanicsWithValue(t, "NewInformer[*v1.Status]: the factory has no kind of this type; use interop.NewSharedIndexInformer",
		func() { informers.NewInformer[*metav1.Status](client, "", 0, nil) })
}
