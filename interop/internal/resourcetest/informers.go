package resourcetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	clientcache "k8s.io/client-go/tools/cache"
)

// CompareInformers requires that an informer of no factory has its own indexers, and that
// the factories of all namespaces have all objects. NewFake returns a fake client.
func CompareInformers[C any](t *testing.T, libraries Libraries[C], newFake func(objects ...runtime.Object) C) {
	for name, library := range libraries.inOrder {
		t.Run(name, func(t *testing.T) {
			haveTheirObjects(t, library, newFake(Pod("shop", "web-0", "web"), Pod("other", "web-1", "web")))
		})
	}
}

func haveTheirObjects[C any](t *testing.T, library Library[C], client C) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	byApp := clientcache.Indexers{"app": func(obj any) ([]string, error) {
		object, err := meta.Accessor(obj)
		return []string{object.GetLabels()["app"]}, err
	}}
	single := library.Single(client, Pods, "other", 0, byApp, nil).Informer()
	require.Len(t, single.GetIndexer().GetIndexers(), 1)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { single.RunWithContext(ctx) })
	require.True(t, clientcache.WaitFor(ctx, "", single.HasSyncedChecker()))
	found, err := single.GetIndexer().ByIndex("app", "web")
	require.NoError(t, err)
	require.Len(t, found, 1)

	f := library.All(client, time.Hour)
	pods := f.ForResource(Pods)
	f.Start(ctx.Done())
	require.Equal(t, map[schema.GroupVersionResource]bool{Pods: true}, f.WaitForCacheSync(ctx.Done()))
	all, err := pods.Lister().List(labels.Everything())
	require.NoError(t, err)
	require.Len(t, all, 2)
	cancel()
	f.Shutdown()
}

// FailsWithoutAClient requires that each list of an informer fails.
func FailsWithoutAClient(t *testing.T, informer informers.GenericInformer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 10)
	require.NoError(t, informer.Informer().SetWatchErrorHandler(func(_ *clientcache.Reflector, err error) {
		select {
		case failed <- err:
		default:
		}
	}))
	var running sync.WaitGroup
	running.Go(func() { informer.Informer().RunWithContext(ctx) })
	require.Error(t, <-failed)
	cancel()
	running.Wait()
}
