package byresource

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
)

// Source returns the source of an informer of a resource in a namespace. It reads through
// raw, or, if that is nil, with the client of the resource, which calls of. Client is the
// client that the program has passed: a fake declares by a method of its own that it does
// not stream. If it is nil, lists and watches return an error.
func Source[L runtime.Object](client any, raw *Raw, resource schema.GroupVersionResource, namespace string, tweak func(*metav1.ListOptions), of func() interop.Client[L]) clientcache.ListerWatcher {
	var lw *cache.ListWatch
	switch {
	case isNil(client):
		return interop.ListWatch[L](nil)
	case raw != nil:
		lw = cache.NewFilteredListWatchFromClient(raw.version(resource.GroupVersion()), resource.Resource, namespace, tweak)
	default:
		lw = interop.ListWatch(of(), tweak)
	}
	return cache.ToListWatcherWithWatchListSemantics(lw, client)
}

func isNil(client any) bool {
	value := reflect.ValueOf(client)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}
