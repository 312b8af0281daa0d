package informers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/informers/core"
	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/informers"
)

// Contract of In: the accessors read the namespace and the options that In received, and not
// those of the factory. client-go's functions New do the same.
func TestInReadsItsNamespace(t *testing.T) {
	both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
		srv := serverOf(t)
		for _, p := range []*corev1.Pod{pod("shop", "web-0", "web"), pod("shop", "db-0", "db"), pod("default", "web-1", "web")} {
			apitest.Create(t, srv, p)
		}
		factory := newFactory(clientsetOf(t, srv, nil), settings{namespace: "default", transform: func(obj any) (any, error) {
			obj.(metav1.Object).SetAnnotations(map[string]string{"seen": "yes"})
			return obj, nil
		}})
		pods := groupsOf(t, factory, "shop", func(o *metav1.ListOptions) { o.LabelSelector = "app=web" }).V1().Pods()
		informer := pods.Informer()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
		require.Equal(t, []string{"shop/web-0"}, informer.GetStore().ListKeys())
		found, err := pods.Lister().Pods("shop").Get("web-0")
		require.NoError(t, err)
		require.Equal(t, "yes", found.Annotations["seen"], "the transform of the factory")
		require.Equal(t, []string{"shop/web-0"}, factory.Core().V1().Pods().Informer().GetStore().ListKeys(), "the factory keeps the first informer")
	})
}

// groupsOf returns the group core of a factory with a namespace and options: of client-go's
// function for its factory, and of In for ours.
func groupsOf(t *testing.T, factory clientgo.SharedInformerFactory, namespace string, tweak internalinterfaces.TweakListOptionsFunc) core.Interface {
	t.Helper()
	if isOurs(factory.Core().V1().Nodes().Informer()) {
		return informers.In(factory, namespace, tweak).Core()
	}
	return core.New(factory, namespace, tweak)
}

// wrapper is a program's factory around another one, and records the requests.
type wrapper struct {
	clientgo.SharedInformerFactory
	requested []runtime.Object
}

func (w *wrapper) InformerFor(obj runtime.Object, newFunc internalinterfaces.NewInformerFunc) clientcache.SharedIndexInformer {
	w.requested = append(w.requested, obj)
	return w.SharedInformerFactory.InformerFor(obj, newFunc)
}

// Contract of In: the factory can be any, whose InformerFor is called. The informer is ours,
// with the name of the factory.
func TestInOverAFactoryOfTheProgram(t *testing.T) {
	for name, newFactory := range map[string]func(kubernetes.Interface, *clientcache.InformerName) clientgo.SharedInformerFactory{
		"client-go": func(client kubernetes.Interface, name *clientcache.InformerName) clientgo.SharedInformerFactory {
			return clientgo.NewSharedInformerFactoryWithOptions(client, 0, clientgo.WithInformerName(name))
		},
		"thinformer": func(client kubernetes.Interface, name *clientcache.InformerName) clientgo.SharedInformerFactory {
			return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithInformerName(name))
		},
	} {
		t.Run(name, func(t *testing.T) {
			name, err := clientcache.NewInformerName("shop")
			require.NoError(t, err)
			w := &wrapper{SharedInformerFactory: newFactory(fake.NewClientset(), name)}
			defer w.Shutdown()
			require.True(t, isOurs(informers.In(w, "shop", nil).Core().V1().Pods().Informer()))
			require.Equal(t, []runtime.Object{&corev1.Pod{}}, w.requested)
			require.False(t, name.WithResource(corev1.SchemeGroupVersion.WithResource("pods")).Reserved(), "pods are not registered")
		})
	}
}

// The functions New of client-go's packages pass their own functions to InformerFor, which
// calls them: the informer is client-go's. In replaces them.
func TestNewOfAGroupsPackageIsClientGos(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	require.False(t, isOurs(core.New(factory, "shop", nil).V1().Pods().Informer()))
	require.False(t, isOurs(corev1informers.New(factory, "shop", nil).Services().Informer()))
	require.False(t, isOurs(factory.Core().V1().Pods().Informer()), "the first informer is kept")
	require.False(t, isOurs(informers.In(factory, "shop", nil).Core().V1().Services().Informer()), "the first informer is kept")
	require.True(t, isOurs(factory.Core().V1().Secrets().Informer()))
}
