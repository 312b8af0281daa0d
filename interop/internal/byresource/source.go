package byresource

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
)

// Source returns the source of an informer of a resource in a namespace. It reads the
// responses to a client of all versions, or, if direct is nil, as [OfClient] does.
func Source[L runtime.Object](client any, direct *rest.RESTClient, resource schema.GroupVersionResource, namespace string, tweak func(*metav1.ListOptions), open func() interop.Client[L]) clientcache.ListerWatcher {
	if direct == nil {
		return OfClient(client, resource.Resource, tweak, open)
	}
	lw := cache.NewFilteredListWatchFromClient(&versionClient{direct, resource.GroupVersion()}, resource.Resource, namespace, Tweak(tweak))
	return cache.ToListWatcherWithWatchListSemantics(lw, client)
}
