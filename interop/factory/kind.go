package factory

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/internal/byresource"
)

// Kind is a line of the table of a generated file. C is the interface of the clientset.
type Kind[C any] struct {
	object   reflect.Type // a pointer
	resource schema.GroupVersionResource
	source   func(clientset C, namespace string, tweak func(*metav1.ListOptions)) clientcache.ListerWatcher
}

// KindOf returns the line of the kind with the Go type T, which is a pointer to a struct.
// Client returns the typed client of the resource in a namespace; that of a kind without
// namespaces ignores it.
func KindOf[T runtime.Object, C any, L runtime.Object](resource schema.GroupVersionResource, client func(clientset C, namespace string) interop.Client[L]) Kind[C] {
	return Kind[C]{
		object:   reflect.TypeFor[T](),
		resource: resource,
		source: func(clientset C, namespace string, tweak func(*metav1.ListOptions)) clientcache.ListerWatcher {
			open := func() interop.Client[L] { return client(clientset, namespace) }
			current := func() (direct, bool) { return directOf(open) }
			if typed, ok := current(); ok {
				return cache.ToListWatcherWithWatchListSemantics(typed.listWatch(resource.Resource, byresource.Tweak(tweak), current), clientset)
			}
			return byresource.OfClient(clientset, resource.Resource, tweak, open)
		},
	}
}

// direct has the REST client of a typed client of code-generator that sends requests. Its
// fakes do not have these methods, nor do the interfaces that a program's wrapper embeds.
type direct struct {
	client    rest.Interface
	namespace string
}

// listWatch returns the source of an informer. Each request is sent with the current client.
func (d direct) listWatch(resource string, tweak func(*metav1.ListOptions), current func() (direct, bool)) *cache.ListWatch {
	if client, ok := d.client.(*rest.RESTClient); ok {
		return cache.NewFilteredListWatchFromClient(&limited{client, current}, resource, d.namespace, tweak)
	}
	return cache.NewFilteredListWatchFromClient(d.client, resource, d.namespace, tweak)
}

// directOf returns the REST client whose responses this module decodes, if the typed
// client sends requests itself. An incomplete clientset may panic: client-go's informers
// open the client when they list, and so the others do.
func directOf[L runtime.Object](open func() interop.Client[L]) (found direct, ok bool) {
	defer func() {
		if recover() != nil {
			found, ok = direct{}, false
		}
	}()
	typed, ok := open().(interface {
		GetClient() rest.Interface
		GetNamespace() string
	})
	if !ok {
		return direct{}, false
	}
	found = direct{typed.GetClient(), typed.GetNamespace()}
	return found, !nilcheck.IsNilPointer(found.client)
}

// informerOptions are those of one informer.
type informerOptions struct {
	namespace string
	tweak     func(*metav1.ListOptions)
	resync    time.Duration
	indexers  clientcache.Indexers
	name      *clientcache.InformerName
}

func (k Kind[C]) newInformer(clientset C, o informerOptions) clientcache.SharedIndexInformer {
	return interop.NewSharedIndexInformerWithOptions(
		k.source(clientset, o.namespace, o.tweak),
		reflect.New(k.object.Elem()).Interface().(runtime.Object),
		clientcache.SharedIndexInformerOptions{
			ResyncPeriod: o.resync, Indexers: o.indexers, Identifier: o.name.WithResource(k.resource),
		})
}

// find returns the line of a Go type.
func find[C any](kinds []Kind[C], object reflect.Type) (Kind[C], bool) {
	for _, kind := range kinds {
		if kind.object == object {
			return kind, true
		}
	}
	return Kind[C]{}, false
}
