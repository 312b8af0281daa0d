package metadatainformer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/fake"
	clientmetadata "k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/internal/resourcetest"
	"github.com/thinformer/thinformer/interop/metadatainformer"
)

var libraries = resourcetest.Libraries[metadata.Interface]{
	ClientGo: resourcetest.Library[metadata.Interface]{
		Client: metadata.NewForConfig,
		All: func(c metadata.Interface, resync time.Duration) resourcetest.Factory {
			return clientmetadata.NewSharedInformerFactory(c, resync)
		},
		Filtered: func(c metadata.Interface, resync time.Duration, ns string, tweak resourcetest.Tweak) resourcetest.Factory {
			return clientmetadata.NewFilteredSharedInformerFactory(c, resync, ns, tweak)
		},
		Single: func(c metadata.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak resourcetest.Tweak) informers.GenericInformer {
			return clientmetadata.NewFilteredMetadataInformer(c, gvr, ns, resync, indexers, tweak)
		},
	},
	Ours:     ours(metadata.NewForConfig),
	Decoding: ours(metadatainformer.NewClientForConfig),
}

func ours(client func(*rest.Config) (metadata.Interface, error)) resourcetest.Library[metadata.Interface] {
	return resourcetest.Library[metadata.Interface]{
		Client: client,
		All: func(c metadata.Interface, resync time.Duration) resourcetest.Factory {
			return metadatainformer.NewSharedInformerFactory(c, resync)
		},
		Filtered: func(c metadata.Interface, resync time.Duration, ns string, tweak resourcetest.Tweak) resourcetest.Factory {
			return metadatainformer.NewFilteredSharedInformerFactory(c, resync, ns, tweak)
		},
		Single: func(c metadata.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak resourcetest.Tweak) informers.GenericInformer {
			return metadatainformer.NewFilteredMetadataInformer(c, gvr, ns, resync, indexers, tweak)
		},
	}
}

func newFake(t *testing.T, objects ...runtime.Object) *fake.FakeMetadataClient {
	t.Helper()
	known := fake.NewTestScheme()
	require.NoError(t, metav1.AddMetaToScheme(known))
	for i, object := range objects {
		objects[i] = resourcetest.Partial(object)
	}
	return fake.NewSimpleMetadataClient(known, objects...)
}

// A factory behaves as client-go's, with each client.
func TestFactory(t *testing.T) {
	resourcetest.CompareFactories(t, libraries, func(objects ...runtime.Object) (metadata.Interface, *clienttesting.Fake, clienttesting.ObjectTracker) {
		client := newFake(t, objects...)
		return client, &client.Fake, client.Tracker()
	})
}

// So do the informers of no factory.
func TestInformers(t *testing.T) {
	resourcetest.CompareInformers(t, libraries, func(objects ...runtime.Object) metadata.Interface { return newFake(t, objects...) })
}

// The lists of the informers have the rate limit of the client's config, which they share
// with the other requests of the client.
func TestRateLimits(t *testing.T) {
	resourcetest.CompareRateLimits(t, libraries, func(ctx context.Context, client metadata.Interface, resource schema.GroupVersionResource) error {
		_, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		return err
	})
}

// The options of the metadata factory apply to each informer.
func TestTransformOfAFactory(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	client := newFake(t, resourcetest.Pod("shop", "web-0", "web"))
	f := metadatainformer.NewSharedInformerFactoryWithOptions(client, 0, metadatainformer.WithTransform(func(obj any) (any, error) {
		obj.(*metav1.PartialObjectMetadata).Labels = nil
		return obj, nil
	}))
	pods := f.ForResource(resourcetest.Pods)
	f.Start(ctx.Done())
	defer f.Shutdown()
	defer cancel()
	require.True(t, f.WaitForCacheSync(ctx.Done())[resourcetest.Pods])
	object, err := pods.Lister().Get("shop/web-0")
	require.NoError(t, err)
	require.Empty(t, object.(*metav1.PartialObjectMetadata).Labels)
}

// A nil client is an error of each list.
func TestInformersOfANilClient(t *testing.T) {
	resourcetest.FailsWithoutAClient(t, metadatainformer.NewSharedInformerFactory(nil, 0).ForResource(resourcetest.Pods))
}

// The error of a config says which client was to be created.
func TestClientOfABadConfig(t *testing.T) {
	_, err := metadatainformer.NewClientForConfig(&rest.Config{Host: "http://a b"})
	require.ErrorContains(t, err, "create a metadata client")
}
