package interop_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clientcache "k8s.io/client-go/tools/cache"
	clientqueue "k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/informers"
	"github.com/thinformer/thinformer/workqueue"
)

// The code below "What stays" in docs/migration.md, for values that are passed between the
// libraries.
func TestValuesBetweenTheLibraries(t *testing.T) {
	client := fake.NewClientset(pod("shop", "web-0", "web"))
	pods := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	ours := cache.NewSharedIndexInformer(interop.ListWatch(client.CoreV1().Pods("")), &corev1.Pod{}, 0, nil)

	report := func(what string, err error) { t.Error(what, err) }

	// The informers of a factory have client-go's types.
	err := pods.AddIndexers(clientcache.Indexers{"node": func(obj any) ([]string, error) {
		return []string{obj.(*corev1.Pod).Spec.NodeName}, nil
	}})
	require.NoError(t, err)
	err = pods.SetWatchErrorHandler(func(r *clientcache.Reflector, err error) { report(r.TypeDescription(), err) })
	require.NoError(t, err)
	registration, err := pods.AddEventHandlerWithOptions(cache.ResourceEventHandlerFuncs{}, clientcache.HandlerOptions{})
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	stop, stopOurs := run(t, pods), run(t, interop.SharedIndexInformer(ours))
	defer stop()
	defer stopOurs()
	defer cancel()
	require.True(t, cache.WaitForCacheSync(ctx.Done(), pods.HasSynced, registration.HasSynced, ours.HasSynced))
	require.True(t, cache.WaitFor(ctx, "", pods.HasSyncedChecker(), registration.HasSyncedChecker()))
	require.True(t, clientcache.WaitFor(ctx, "", ours.HasSyncedChecker()))
	err = clientcache.ShutDownEventHandler(pods, registration)
	require.NoError(t, err)

	// A lister of client-go over an informer of ours.
	var lister clientcache.GenericLister = clientcache.NewGenericLister(interop.Indexer(ours.GetIndexer()), podsResource.GroupResource())
	found, err := lister.ByNamespace("shop").List(labels.Everything())
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// request is controller-runtime's reconcile.Request.
type request struct{ types.NamespacedName }

// runtimeHandler has a field of controller-runtime's handler.TypedFuncs, whose parameter has
// client-go's type.
type runtimeHandler struct {
	CreateFunc func(context.Context, string, clientqueue.TypedRateLimitingInterface[request])
}

// A handler of controller-runtime has client-go's queue as a parameter. A queue of either
// library is passed to a function of the other, with its rate limiter.
func TestQueuesBetweenTheLibraries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		add := func(queue workqueue.TypedRateLimitingInterface[request], name string) {
			queue.AddRateLimited(request{types.NamespacedName{Name: name}})
		}
		handler := runtimeHandler{
			// A handler of controller-runtime.
			CreateFunc: func(_ context.Context, name string, queue clientqueue.TypedRateLimitingInterface[request]) {
				add(queue, name)
			},
		}
		ours := workqueue.NewTypedRateLimitingQueue[request](clientqueue.DefaultTypedControllerRateLimiter[request]())
		theirs := clientqueue.NewTypedRateLimitingQueue[request](workqueue.DefaultTypedControllerRateLimiter[request]())
		for _, queue := range []clientqueue.TypedRateLimitingInterface[request]{ours, theirs} {
			handler.CreateFunc(t.Context(), "web-0", queue)
			item, _ := queue.Get()
			require.Equal(t, "web-0", item.Name)
			queue.Done(item)
			queue.ShutDown()
		}
	})
}
