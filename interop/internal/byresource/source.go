package byresource

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
)

// Source returns the source of an informer of a resource in a namespace. It reads through
// raw, or, if that is nil, as [OfClient] does.
func Source[L runtime.Object](client any, raw *Raw, resource schema.GroupVersionResource, namespace string, tweak func(*metav1.ListOptions), open func() interop.Client[L]) clientcache.ListerWatcher {
	if raw == nil {
		return OfClient(client, resource.Resource, tweak, open)
	}
	lw := cache.NewFilteredListWatchFromClient(raw.version(resource.GroupVersion()), resource.Resource, namespace, tweak)
	return cache.ToListWatcherWithWatchListSemantics(lw, client)
}
