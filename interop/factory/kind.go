package factory

import (
	"context"
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
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
			if isNil(clientset) {
				return interop.ListWatch(interop.Client[L](withoutClientset[L]{resource.Resource}))
			}
			lw := sourceOf(client(clientset, namespace), resource.Resource, tweak)
			return cache.ToListWatcherWithWatchListSemantics(lw, clientset)
		},
	}
}

// direct is a typed client of code-generator that sends requests. Its fakes do not have
// these methods, nor do the interfaces that a program's wrapper embeds.
type direct interface {
	GetClient() rest.Interface
	GetNamespace() string
}

// sourceOf returns a source whose responses this module decodes, if the typed client sends
// requests itself, and else one that calls the typed client.
func sourceOf[L runtime.Object](typed interop.Client[L], resource string, tweak func(*metav1.ListOptions)) *cache.ListWatch {
	if typed, ok := typed.(direct); ok {
		if client := typed.GetClient(); client != nil {
			return cache.NewFilteredListWatchFromClient(client, resource, typed.GetNamespace(), tweak)
		}
	}
	return interop.ListWatch(typed, tweak)
}

// withoutClientset is the client of a factory whose clientset is nil. Its informers can be
// requested, and fail when they are started.
type withoutClientset[L runtime.Object] struct{ resource string }

func (w withoutClientset[L]) error() error {
	return fmt.Errorf("read %s: the factory was created with a clientset that is nil", w.resource)
}

// List implements [interop.Client].
func (w withoutClientset[L]) List(context.Context, metav1.ListOptions) (list L, err error) {
	return list, w.error()
}

// Watch implements [interop.Client].
func (w withoutClientset[L]) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, w.error()
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

// isNil reports whether a clientset is nil or a nil pointer.
func isNil(clientset any) bool {
	value := reflect.ValueOf(clientset)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}
