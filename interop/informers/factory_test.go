package informers_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop"
)

// A factory with all options lists and watches: its informers have the objects of its
// namespace that its tweak selects, changed by its transform; kinds without namespaces have
// all that the tweak selects.
func TestAFactoryListsAndWatches(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		for _, p := range []*corev1.Pod{pod("shop", "web-0", "web"), pod("shop", "db-0", "db"), pod("default", "web-1", "web")} {
			apitest.Create(t, srv, p)
		}
		apitest.Create(t, srv, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-0", Labels: map[string]string{"app": "web"}}})
		factory := newFactory(clientsetOf(t, srv, nil), settings{
			namespace: "shop",
			tweak:     func(o *metav1.ListOptions) { o.LabelSelector = "app=web" },
			transform: func(obj any) (any, error) {
				obj.(metav1.Object).SetAnnotations(map[string]string{"seen": "yes"})
				return obj, nil
			},
		})
		pods := factory.Core().V1().Pods()
		lines := make(chan string, 10)
		registration, err := pods.Informer().AddEventHandler(records(lines))
		require.NoError(t, err)
		nodes := factory.Core().V1().Nodes().Lister()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		require.Equal(t, map[reflect.Type]bool{reflect.TypeFor[*corev1.Pod](): true, reflect.TypeFor[*corev1.Node](): true}, factory.WaitForCacheSync(ctx.Done()))
		require.True(t, clientcache.WaitForCacheSync(ctx.Done(), registration.HasSynced))

		require.Equal(t, "initial shop/web-0 web yes", next(t, lines))
		apitest.Create(t, srv, pod("shop", "web-2", "web"))
		require.Equal(t, "add shop/web-2 web yes", next(t, lines))
		apitest.Modify(t, srv, pod("shop", "web-0", ""), func(p *corev1.Pod) { p.Spec.NodeName = "node-0" })
		require.Equal(t, "update shop/web-0 web yes", next(t, lines))
		apitest.Modify(t, srv, pod("shop", "web-2", ""), func(p *corev1.Pod) { p.Labels["app"] = "db" })
		require.Contains(t, next(t, lines), "delete shop/web-2")
		require.Empty(t, lines)

		generic, err := factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
		require.NoError(t, err)
		found, err := generic.Lister().ByNamespace("shop").Get("web-0")
		require.NoError(t, err)
		require.Equal(t, "node-0", found.(*corev1.Pod).Spec.NodeName)
		_, err = generic.Lister().ByNamespace("shop").Get("db-0")
		require.EqualError(t, err, `pods "db-0" not found`)
		listed, err := pods.Lister().Pods("shop").List(labels.Everything())
		require.NoError(t, err)
		require.Len(t, listed, 1)
		all, err := nodes.List(labels.Everything())
		require.NoError(t, err)
		require.Len(t, all, 1)
	})
}

// Two factories of one clientset, each of a namespace, have informers of their own.
func TestTwoFactoriesOfOneClientset(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		apitest.Create(t, srv, pod("shop", "web-0", "web"))
		apitest.Create(t, srv, pod("default", "web-1", "web"))
		client := clientsetOf(t, srv, nil)
		for namespace, want := range map[string][]string{"shop": {"shop/web-0"}, "default": {"default/web-1"}, "": {"default/web-1", "shop/web-0"}} {
			factory := newFactory(client, settings{namespace: namespace})
			informer := factory.Core().V1().Pods().Informer()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			factory.StartWithContext(ctx)
			require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
			require.ElementsMatch(t, want, informer.GetStore().ListKeys())
			cancel()
			factory.Shutdown()
		}
	})
}

// The resync period of a type replaces that of the factory, for the function of the program
// and for the informers of the accessors.
func TestCustomResync(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		apitest.Create(t, srv, pod("shop", "web-0", "web"))
		client := clientsetOf(t, srv, nil)
		factory := newFactory(client, settings{resync: time.Hour, custom: map[metav1.Object]time.Duration{&corev1.Pod{}: 20 * time.Millisecond, &corev1.Service{}: time.Minute}})
		periods := map[string]time.Duration{}
		record := func(name string) func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer {
			return func(c kubernetes.Interface, period time.Duration) clientcache.SharedIndexInformer {
				require.Equal(t, client, c)
				periods[name] = period
				return interop.NewSharedIndexInformer(interop.ListWatch(client.CoreV1().Services("")), &corev1.Service{}, period, nil)
			}
		}
		factory.InformerFor(&corev1.Service{}, record("services"))
		factory.InformerFor(&corev1.Secret{}, record("secrets"))
		require.Equal(t, map[string]time.Duration{"services": time.Minute, "secrets": time.Hour}, periods)

		lines := make(chan string, 1000)
		pods := newFactory(client, settings{resync: time.Hour, custom: map[metav1.Object]time.Duration{&corev1.Pod{}: 20 * time.Millisecond}})
		_, err := pods.Core().V1().Pods().Informer().AddEventHandler(records(lines))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		pods.StartWithContext(ctx)
		defer pods.Shutdown()
		defer cancel()
		require.Equal(t, "initial shop/web-0 web ", next(t, lines))
		require.Equal(t, "update shop/web-0 web ", next(t, lines), "no resync")
	})
}

// Start starts what was requested before it; an informer requested later starts with the
// next Start. WaitForCacheSync waits for those that were started.
func TestRequestedAfterStart(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		factory := newFactory(clientsetOf(t, srv, nil), settings{})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.Start(ctx.Done())
		require.Empty(t, factory.WaitForCacheSync(ctx.Done()))
		informer := factory.Core().V1().Pods().Informer()
		require.Empty(t, factory.WaitForCacheSync(ctx.Done()))
		require.False(t, informer.HasSynced())
		factory.Start(ctx.Done())
		factory.Start(ctx.Done())
		require.Equal(t, map[reflect.Type]bool{reflect.TypeFor[*corev1.Pod](): true}, factory.WaitForCacheSync(ctx.Done()))
		require.True(t, informer.HasSynced())
		cancel()
		factory.Shutdown()
		require.True(t, informer.IsStopped())
		require.Len(t, srv.Requests(apitest.Match{Resource: "pods", Verb: "watch"}), 1, "the informer was started twice")
	})
}

// After Shutdown an informer can be requested, and is not started. Shutdown releases the
// name of the informers.
func TestAfterShutdown(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		name, err := clientcache.NewInformerName("shop")
		require.NoError(t, err)
		factory := newFactory(clientsetOf(t, srv, nil), settings{name: name})
		require.Same(t, name, factory.InformerName())
		factory.Core().V1().Pods()
		_, err = clientcache.NewInformerName("shop")
		require.Error(t, err)
		factory.Shutdown()
		name, err = clientcache.NewInformerName("shop")
		require.NoError(t, err)
		name.Release()

		informer := factory.Core().V1().Pods().Informer()
		factory.StartWithContext(t.Context())
		factory.Shutdown()
		require.False(t, informer.HasSynced())
		require.Empty(t, factory.WaitForCacheSync(t.Context().Done()))
		require.Empty(t, srv.Requests(apitest.Match{Resource: "pods"}))
	})
}

// The informers register their resources under the name of the factory.
func TestInformerName(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		name, err := clientcache.NewInformerName("shop")
		require.NoError(t, err)
		factory := newFactory(fake.NewClientset(), settings{name: name})
		defer factory.Shutdown()
		factory.Core().V1().Pods().Informer()
		require.False(t, name.WithResource(corev1.SchemeGroupVersion.WithResource("pods")).Reserved(), "pods are not registered")
		require.True(t, name.WithResource(corev1.SchemeGroupVersion.WithResource("services")).Reserved())
	})
}

// An informer that has not synchronised before the context ends is in the result, with the
// cause.
func TestWaitForCacheSyncReportsTheCause(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		srv.Fault(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Action: apitest.Silence()})
		factory := newFactory(clientsetOf(t, srv, nil), settings{})
		factory.Core().V1().Pods().Informer()
		services := factory.Core().V1().Services().Informer()
		running, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.StartWithContext(running)
		defer factory.Shutdown()
		defer stop()
		require.True(t, clientcache.WaitForCacheSync(running.Done(), services.HasSynced))
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		cancel(cause)
		result := factory.WaitForCacheSyncWithContext(ctx)
		require.Equal(t, map[reflect.Type]bool{reflect.TypeFor[*corev1.Pod](): false, reflect.TypeFor[*corev1.Service](): true}, result.Synced)
		require.Equal(t, cause, result.Err)
		require.ErrorIs(t, result.AsError(), cause)
	})
}

// One map by type: the first function is called, later ones and the accessors return its
// informer, with the transform of the factory.
func TestInformerForKeepsTheFirst(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		apitest.Create(t, srv, pod("shop", "web-0", "web"))
		factory := newFactory(clientsetOf(t, srv, nil), settings{transform: func(obj any) (any, error) {
			obj.(metav1.Object).SetAnnotations(map[string]string{"seen": "yes"})
			return obj, nil
		}})
		calls := 0
		create := func(client kubernetes.Interface, resync time.Duration) clientcache.SharedIndexInformer {
			calls++
			return interop.NewSharedIndexInformer(interop.ListWatch(client.CoreV1().Pods("shop")), &corev1.Pod{}, resync, clientcache.Indexers{})
		}
		first := factory.InformerFor(&corev1.Pod{}, create)
		require.True(t, first == factory.InformerFor(&corev1.Pod{}, create))
		require.True(t, first == factory.InformerFor(&corev1.Pod{}, nil))
		generic, err := factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
		require.NoError(t, err)
		require.Empty(t, factory.Core().V1().Pods().Informer().GetIndexer().GetIndexers())
		require.Equal(t, 1, calls)

		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
		found, err := generic.Lister().Get("shop/web-0")
		require.NoError(t, err)
		require.Equal(t, "yes", found.(*corev1.Pod).Annotations["seen"])
	})
}

// The error for an unknown resource is client-go's.
func TestForResourceOfAnUnknownResource(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		generic, err := newFactory(fake.NewClientset(), settings{}).ForResource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
		require.EqualError(t, err, "no informer found for example.com/v1, Resource=widgets")
		require.True(t, generic == nil)
	})
}
