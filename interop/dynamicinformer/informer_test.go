package dynamicinformer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	clientdynamic "k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/dynamicinformer"
	"github.com/thinformer/thinformer/interop/internal/resourcetest"
)

var libraries = resourcetest.Libraries[dynamic.Interface]{
	ClientGo: resourcetest.Library[dynamic.Interface]{
		Client: func(c *rest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) },
		All: func(c dynamic.Interface, resync time.Duration) resourcetest.Factory {
			return clientdynamic.NewDynamicSharedInformerFactory(c, resync)
		},
		Filtered: func(c dynamic.Interface, resync time.Duration, ns string, tweak resourcetest.Tweak) resourcetest.Factory {
			return clientdynamic.NewFilteredDynamicSharedInformerFactory(c, resync, ns, tweak)
		},
		Single: func(c dynamic.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak resourcetest.Tweak) informers.GenericInformer {
			return clientdynamic.NewFilteredDynamicInformer(c, gvr, ns, resync, indexers, tweak)
		},
	},
	Ours:     ours(func(c *rest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) }),
	Decoding: ours(dynamicinformer.NewClientForConfig),
}

func ours(client func(*rest.Config) (dynamic.Interface, error)) resourcetest.Library[dynamic.Interface] {
	return resourcetest.Library[dynamic.Interface]{
		Client: client,
		All: func(c dynamic.Interface, resync time.Duration) resourcetest.Factory {
			return dynamicinformer.NewDynamicSharedInformerFactory(c, resync)
		},
		Filtered: func(c dynamic.Interface, resync time.Duration, ns string, tweak resourcetest.Tweak) resourcetest.Factory {
			return dynamicinformer.NewFilteredDynamicSharedInformerFactory(c, resync, ns, tweak)
		},
		Single: func(c dynamic.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak resourcetest.Tweak) informers.GenericInformer {
			return dynamicinformer.NewFilteredDynamicInformer(c, gvr, ns, resync, indexers, tweak)
		},
	}
}

// A factory behaves as client-go's, with each client.
func TestFactory(t *testing.T) {
	resourcetest.CompareFactories(t, libraries, func(objects ...runtime.Object) (dynamic.Interface, *clienttesting.Fake, clienttesting.ObjectTracker) {
		client := fake.NewSimpleDynamicClient(scheme.Scheme, objects...)
		return client, &client.Fake, client.Tracker()
	})
}

// So do the informers of no factory.
func TestInformers(t *testing.T) {
	resourcetest.CompareInformers(t, libraries, func(objects ...runtime.Object) dynamic.Interface {
		return fake.NewSimpleDynamicClient(scheme.Scheme, objects...)
	})
}

// The lists of the informers have the rate limit of the client's config, which they share
// with the other requests of the client.
func TestRateLimits(t *testing.T) {
	resourcetest.CompareRateLimits(t, libraries, func(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) error {
		_, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		return err
	})
}

// A nil client is an error of each list.
func TestInformersOfANilClient(t *testing.T) {
	for name, client := range map[string]dynamic.Interface{"nil": nil, "a nil pointer": (*dynamic.DynamicClient)(nil)} {
		t.Run(name, func(t *testing.T) {
			resourcetest.FailsWithoutAClient(t, dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(resourcetest.Pods))
		})
	}
}

// The error of a config says which client was to be created.
func TestClientOfABadConfig(t *testing.T) {
	_, err := dynamicinformer.NewClientForConfig(&rest.Config{Host: "http://a b"})
	require.ErrorContains(t, err, "create a dynamic client")
}
