package metadatainformer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/internal/resourcetest"
)

// The objects of a list and of a watch, in the store and in a transform, are equal with
// each metadata client, also in their apiVersion and kind.
func TestMetadataOfEachClient(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Create(t, srv, resourcetest.Pod("shop", "listed", "web"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	type running struct {
		informer clientcache.SharedIndexInformer
		kinds    chan metav1.TypeMeta
	}
	informers := map[string]running{}
	for name, library := range map[string]resourcetest.Library[metadata.Interface]{
		"client-go": libraries.ClientGo, "ours": libraries.Ours, "our client": libraries.Decoding,
	} {
		client, err := library.Client(resourcetest.ConfigOf(srv))
		require.NoError(t, err)
		f := library.All(client, 0)
		started := running{f.ForResource(resourcetest.Pods).Informer(), make(chan metav1.TypeMeta, 10)}
		require.NoError(t, started.informer.SetTransform(func(object any) (any, error) {
			started.kinds <- object.(*metav1.PartialObjectMetadata).TypeMeta
			return object, nil
		}))
		f.Start(ctx.Done())
		defer f.Shutdown()
		defer cancel()
		require.True(t, clientcache.WaitForCacheSync(ctx.Done(), started.informer.HasSynced))
		informers[name] = started
	}
	apitest.Create(t, srv, resourcetest.Pod("shop", "watched", "web"))
	for name, started := range informers {
		require.Eventually(t, func() bool { return len(started.informer.GetStore().ListKeys()) == 2 }, 2*time.Minute, time.Millisecond)
		for _, key := range []string{"shop/listed", "shop/watched"} {
			var want any
			require.Eventually(t, func() (exists bool) {
				want, exists, _ = informers["client-go"].informer.GetStore().GetByKey(key)
				return exists
			}, 2*time.Minute, time.Millisecond)
			got, _, err := started.informer.GetStore().GetByKey(key)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: %s", name, key)
			require.Equal(t, metav1.TypeMeta{}, <-started.kinds, "%s: %s", name, key)
		}
	}
}
