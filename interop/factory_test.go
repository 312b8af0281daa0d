package interop_test

import (
	"context"
	"slices"
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
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/interop"
)

var byNamespace = clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc}

// ways to create the informer for a generated factory.
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
			panic(err) // the name is not taken
		}
		return inf
	},
}

// A generated factory with an informer of this module uses it for its typed informers and
// its listers, starts it, waits for it, and stops it.
func TestGeneratedFactoryUsesOurInformers(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Run("at a server", func(t *testing.T) {
				srv := apitest.NewServer(apitest.Options{})
				defer srv.Close()
				var over lines
				usesOurs(t, clientset(t, srv, &over), way)
			})
			if name == "of a RESTClient" {
				return // a fake has no RESTClient
			}
			t.Run("at a fake", func(t *testing.T) { usesOurs(t, fake.NewClientset(), way) })
		})
	}
}

func usesOurs(t *testing.T, client kubernetes.Interface, way func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	pods := client.CoreV1().Pods("default")
	created, err := pods.Create(ctx, pod("default", "web-0", "web"), metav1.CreateOptions{})
	require.NoError(t, err)

	factory := informers.NewSharedInformerFactory(client, 0)
	inf := factory.InformerFor(&corev1.Pod{}, way)
	factory.Core().V1().Pods().Informer()
	require.True(t, inf == factory.InformerFor(&corev1.Pod{}, nil), "the factory has created another informer")
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
	if client, ok := client.(*fake.Clientset); ok {
		waitForWatch(t, client)
	}

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
		require.Equal(t, "update web-1", event) // its deletion timestamp
	}
}

// waitForWatch waits until the fake has a watch: it loses the changes between the list and
// the watch of an informer.
func waitForWatch(t *testing.T, client *fake.Clientset) {
	t.Helper()
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(client.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() == "watch" })
	}, 2*time.Minute, 5*time.Millisecond)
}
