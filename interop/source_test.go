//lint:file-ignore SA1019 client-go's older clients and fakes are used through deprecated functions.

package interop_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clientgorest "k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/retry"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/listwatch"
)

// Promise: through a clientset's RESTClient, in JSON and in protobuf, our decoder returns the
// same objects as client-go's, in the same types and in slimmer ones.
func TestListWatchOfAClientsetUsesOurDecoder(t *testing.T) {
	s := serverOf(t, corev1.SchemeGroupVersion.WithKind("Pod"), 10)
	url := s.start(t)
	for _, encoding := range []string{"application/json", protobufType} {
		t.Run(encoding, func(t *testing.T) {
			var asked requestLog
			client := asked.client(t, url, s.kind, encoding)
			lw := cache.NewListWatchFromClient(client, "them", metav1.NamespaceAll, fields.Everything())
			typed := cache.ToTyped[*corev1.Pod](lw)
			sameObjects(t, typedList(t, url, s.kind, protobufType), listed(t, typed), true)
			sameEvents(t, typedWatch(t, url, s.kind, protobufType), watched(t, typed), true)
			for _, accept := range asked.accepted() {
				require.Equal(t, protobufType+", application/json", accept, "the encoding of the clientset does not matter")
			}
			var names []string
			for _, object := range listed(t, cache.ToTyped[*slim](lw)) {
				names = append(names, object.(*slim).Name)
			}
			require.Len(t, names, len(s.objects))
			require.Equal(t, "application/json", asked.accepted()[len(asked.accepted())-1], "a slim type is decoded from JSON")
		})
	}
}

// requestLog records the requests of a client.
type requestLog struct {
	mu      sync.Mutex
	accepts []string
}

func (l *requestLog) client(t *testing.T, url string, kind schema.GroupVersionKind, encoding string) *clientgorest.RESTClient {
	t.Helper()
	version := kind.GroupVersion()
	config := &clientgorest.Config{Host: url, APIPath: "/apis", QPS: -1}
	config.GroupVersion, config.NegotiatedSerializer = &version, scheme.Codecs.WithoutConversion()
	config.ContentType, config.AcceptContentTypes = encoding, encoding
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			l.mu.Lock()
			l.accepts = append(l.accepts, r.Header.Get("Accept"))
			l.mu.Unlock()
			return next.RoundTrip(r)
		})
	})
	client, err := clientgorest.RESTClientFor(config)
	require.NoError(t, err)
	t.Cleanup(client.Client.CloseIdleConnections)
	return client
}

func (l *requestLog) accepted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.accepts)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var podResource = corev1.SchemeGroupVersion.WithResource("pods")

// countedRequests is a rate limiter that counts the requests that wait for it.
type countedRequests struct {
	flowcontrol.RateLimiter
	waits atomic.Int32
}

func (c *countedRequests) Wait(context.Context) error {
	c.waits.Add(1)
	return nil
}

// As with client-go's informers, a watch does not count against the rate limit of its
// client. An informer whose server streams the initial state sends nothing else.
func TestWatchesAreNotLimited(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	config := srv.Config()
	limiter := &countedRequests{}
	client, err := kubernetes.NewForConfig(&clientgorest.Config{
		Host: config.Host, TLSClientConfig: clientgorest.TLSClientConfig{CAData: config.TLS.CAData},
		BearerToken: config.BearerToken, RateLimiter: limiter,
	})
	require.NoError(t, err)
	get := client.CoreV1().RESTClient()
	for name, informer := range map[string]clientcache.SharedIndexInformer{
		"client-go": clientcache.NewSharedIndexInformer(clientcache.NewListWatchFromClient(get, "pods", "", fields.Everything()), &corev1.Pod{}, 0, nil),
		"ours":      interop.NewSharedIndexInformer(cache.NewListWatchFromClient(get, "pods", "", fields.Everything()), &corev1.Pod{}, 0, nil),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { informer.RunWithContext(ctx) })
			defer running.Wait()
			defer cancel()
			require.True(t, clientcache.WaitForCacheSync(ctx.Done(), informer.HasSynced))
			require.Zero(t, limiter.waits.Load())
		})
	}
}

// Promise: for any kind of ListerWatcher, a Reflector keeps a store equal to the server's
// objects.
func TestReflectorOnClientsOfClientGo(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	var over lines
	client := clientset(t, srv, &over)
	config := srv.Config()
	untyped, err := dynamic.NewForConfig(&clientgorest.Config{
		Host: config.Host, TLSClientConfig: clientgorest.TLSClientConfig{CAData: config.TLS.CAData},
		BearerToken: config.BearerToken, QPS: -1, Dial: over.dial,
	})
	require.NoError(t, err)
	streamed := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "default", fields.Everything())
	changed := cache.NewFilteredListWatchFromClient(client.CoreV1().RESTClient(), "pods", "default", func(*metav1.ListOptions) {})
	list := changed.ListWithContextFunc
	changed.ListWithContextFunc = func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return list(ctx, o) }
	for name, c := range map[string]struct {
		lw       cache.ListerWatcher
		expected any
	}{
		"a RESTClient":                                         {streamed, &corev1.Pod{}},
		"a RESTClient of unknown objects":                      {streamed, nil},
		"a RESTClient, metadata":                               {streamed, &metav1.PartialObjectMetadata{}},
		"a RESTClient, changed":                                {changed, &corev1.Pod{}},
		"functions of a clientset":                             {podFunctions(client), &corev1.Pod{}},
		"functions of a clientset that reports stream support": {cache.ToListWatcherWithWatchListSemantics(podFunctions(client), client), &corev1.Pod{}},
		"functions of a dynamic client":                        {podFunctionsUntyped(untyped), &unstructured.Unstructured{}},
	} {
		t.Run(name, func(t *testing.T) { keepsUp(t, client, c.lw, c.expected) })
	}
}

// Promise: with client-go's fakes, whose objects have no versions and which do not support
// streamed lists, a Reflector syncs at once and receives each change.
func TestReflectorOnFakes(t *testing.T) {
	for name, clientOf := range map[string]func() kubernetes.Interface{
		"simple":        func() kubernetes.Interface { return fake.NewSimpleClientset() },
		"field-managed": func() kubernetes.Interface { return fake.NewClientset() },
	} {
		t.Run(name, func(t *testing.T) { keepsUp(t, clientOf(), podFunctions, &corev1.Pod{}) })
		t.Run(name+" that reports stream support", func(t *testing.T) {
			client := clientOf()
			keepsUp(t, client, cache.ToListWatcherWithWatchListSemantics(podFunctions(client), client), &corev1.Pod{})
		})
	}
	t.Run("dynamic", func(t *testing.T) {
		client := dynamicfake.NewSimpleDynamicClient(scheme.Scheme)
		store, stop := filled(podFunctionsUntyped(client), &unstructured.Unstructured{})
		defer stop()
		pods := client.Resource(podResource).Namespace("default")
		pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": "default", "name": "a"}}}
		_, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
		require.NoError(t, err)
		eventually(t, func() bool {
			pod.SetLabels(map[string]string{"n": "1"})
			_, err = pods.Update(t.Context(), pod, metav1.UpdateOptions{})
			require.NoError(t, err)
			return slices.Equal(store.ListKeys(), []string{"default/a"}) && labelIn(store, "default/a") == "1"
		})
		require.NoError(t, pods.Delete(t.Context(), "a", metav1.DeleteOptions{}))
		eventually(t, func() bool { return len(store.ListKeys()) == 0 })
	})
}

// podFunctions returns the ListWatch of functions that nearly every program has.
func podFunctions(client kubernetes.Interface) *cache.ListWatch {
	return &cache.ListWatch{
		ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Pods("default").List(context.Background(), o)
		},
		WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Pods("default").Watch(context.Background(), o)
		},
	}
}

func podFunctionsUntyped(client dynamic.Interface) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.Resource(podResource).Namespace("default").List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return client.Resource(podResource).Namespace("default").Watch(ctx, o)
		},
	}
}

// filled returns a store that a Reflector fills until stop.
func filled(lw cache.ListerWatcher, expected any) (store cache.Store, stop func()) {
	store = cache.NewStore(cache.MetaNamespaceKeyFunc)
	r := cache.NewReflector(lw, expected, store, 0)
	stopCh := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { r.Run(stopCh) })
	return store, func() {
		close(stopCh)
		wg.Wait()
	}
}

func labelIn(store cache.Store, key string) string {
	obj, exists, err := store.GetByKey(key)
	if err != nil || !exists {
		return ""
	}
	return obj.(metav1.Object).GetLabels()["n"]
}

func eventually(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, 2*time.Minute, 5*time.Millisecond)
}

// keepsUp changes pods and checks that a store follows. lw may use the client.
func keepsUp(t *testing.T, client kubernetes.Interface, lw any, expected any) {
	if of, ok := lw.(func(kubernetes.Interface) *cache.ListWatch); ok {
		lw = of(client)
	}
	pods := client.CoreV1().Pods("default")
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "main"}}},
		}
	}
	_, err := pods.Create(t.Context(), pod("before"), metav1.CreateOptions{})
	require.NoError(t, err)
	store, stop := filled(lw.(cache.ListerWatcher), expected)
	// The Reflector does not wait for the end of initial events that a source does not
	// send, which would take it 30 seconds.
	require.Eventually(t, func() bool { return slices.Equal(store.ListKeys(), []string{"default/before"}) },
		25*time.Second, 5*time.Millisecond)
	// Changes between the list and the watch of a fake are lost, so it makes changes
	// until the store has received one.
	eventually(t, func() bool {
		require.NoError(t, relabel(t, client, "before", "seen"))
		return labelIn(store, "default/before") == "seen"
	})
	for i := range 3 {
		name := fmt.Sprintf("pod-%d", i)
		_, err := pods.Create(t.Context(), pod(name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	for i := range 3 {
		require.NoError(t, relabel(t, client, "pod-0", fmt.Sprint(i)))
	}
	now := int64(0)
	at := metav1.DeleteOptions{GracePeriodSeconds: &now}
	require.NoError(t, pods.Delete(t.Context(), "pod-1", at))
	require.NoError(t, pods.Delete(t.Context(), "before", at))
	eventually(t, func() bool {
		keys := store.ListKeys()
		slices.Sort(keys)
		return slices.Equal(keys, []string{"default/pod-0", "default/pod-2"}) && labelIn(store, "default/pod-0") == "2"
	})
	if expected != nil {
		for _, obj := range store.List() {
			require.IsType(t, expected, obj)
		}
	}
	if typed, ok := store.List()[0].(*corev1.Pod); ok {
		require.Equal(t, "main", typed.Spec.Containers[0].Image)
	}
	stop()
	require.NoError(t, pods.Delete(t.Context(), "pod-0", at))
	require.NoError(t, pods.Delete(t.Context(), "pod-2", at))
	require.Len(t, store.ListKeys(), 2, "it has stopped")
}

// relabel changes a pod.
func relabel(t *testing.T, client kubernetes.Interface, name, label string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		p, err := client.CoreV1().Pods("default").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		p.Labels = map[string]string{"n": label}
		_, err = client.CoreV1().Pods("default").Update(t.Context(), p, metav1.UpdateOptions{})
		return err
	})
}

// The lists and watches of a nil client return an error.
func TestListWatchOfNilClient(t *testing.T) {
	lw := interop.ListWatch[*corev1.PodList](nil)
	_, err := lw.ListWithContext(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	_, err = lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
}
