package interop_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/interop"
)

var byNamespace = clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc}

// ways to make the informer that a generated factory is to hold.
var ways = map[string]func(client kubernetes.Interface, resync time.Duration) clientcache.SharedIndexInformer{
	"of a generated client": func(client kubernetes.Interface, resync time.Duration) clientcache.SharedIndexInformer {
		return interop.NewSharedIndexInformer(interop.ListWatch(client.CoreV1().Pods("")), &corev1.Pod{}, resync, byNamespace)
	},
	"of a generated client that streams": func(client kubernetes.Interface, resync time.Duration) clientcache.SharedIndexInformer {
		source := cache.ToListWatcherWithWatchListSemantics(interop.ListWatch(client.CoreV1().Pods("")), client)
		return interop.NewSharedIndexInformer(source, &corev1.Pod{}, resync, byNamespace)
	},
	"of a RESTClient": func(client kubernetes.Interface, resync time.Duration) clientcache.SharedIndexInformer {
		source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything())
		return interop.NewSharedIndexInformer(source, &corev1.Pod{}, resync, byNamespace)
	},
	"typed": func(client kubernetes.Interface, _ time.Duration) clientcache.SharedIndexInformer {
		source := cache.ToTyped[*corev1.Pod](interop.ListWatch(client.CoreV1().Pods("")))
		inf := interop.InformerOf(informer.New(source, informer.Options[*corev1.Pod]{}))
		if err := inf.AddIndexers(byNamespace); err != nil {
			panic(err) // nobody has added it yet
		}
		return inf
	},
}

// A generated factory that was given an informer of this module has it for its
// typed informers and its listers, starts it, waits for it, and stops it.
func TestGeneratedFactoryHoldsOurs(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Run("at a server", func(t *testing.T) {
				srv := apitest.NewServer(apitest.Options{})
				defer srv.Close()
				var over lines
				holds(t, clientset(t, srv, &over), way)
			})
			if name == "of a RESTClient" {
				return // which a fake does not have
			}
			t.Run("at a fake", func(t *testing.T) { holds(t, fake.NewClientset(), way) })
		})
	}
}

func holds(t *testing.T, client kubernetes.Interface, way func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	pods := client.CoreV1().Pods("default")
	created, err := pods.Create(ctx, pod("default", "web-0", "web"), metav1.CreateOptions{})
	require.NoError(t, err)

	factory := informers.NewSharedInformerFactory(client, 0)
	inf := factory.InformerFor(&corev1.Pod{}, way)
	factory.Core().V1().Pods().Informer()
	require.True(t, inf == factory.InformerFor(&corev1.Pod{}, nil), "the factory has made one of its own")
	events := make(chan string, 10)
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(clientcache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { events <- "add " + obj.(*corev1.Pod).Name },
		UpdateFunc: func(_, obj any) { events <- "update " + obj.(*corev1.Pod).Name },
		DeleteFunc: func(obj any) { events <- "delete " + obj.(*corev1.Pod).Name },
	})
	require.NoError(t, err)
	lister := factory.Core().V1().Pods().Lister()
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer cancel()
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())

	next := func() string {
		t.Helper()
		select {
		case event := <-events:
			return event
		case <-ctx.Done():
			t.Fatal("no event")
			return ""
		}
	}
	require.Equal(t, "add web-0", next())
	found, err := lister.Pods("default").Get("web-0")
	require.NoError(t, err)
	require.Equal(t, created.UID, found.UID)
	_, err = pods.Create(ctx, pod("default", "web-1", "web"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, "add web-1", next())
	found = found.DeepCopy()
	found.Labels["app"] = "db"
	_, err = pods.Update(ctx, found, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "update web-0", next())
	some, err := lister.Pods("default").List(labels.SelectorFromSet(labels.Set{"app": "db"}))
	require.NoError(t, err)
	require.Equal(t, []string{"default/web-0"}, namesOf(some))
	require.NoError(t, pods.Delete(ctx, "web-1", *metav1.NewDeleteOptions(0)))
	for event := next(); event != "delete web-1"; event = next() {
		require.Equal(t, "update web-1", event) // that it is going
	}
}
