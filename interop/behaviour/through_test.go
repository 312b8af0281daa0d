//go:build through

package behaviour

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	genericinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var (
	through = flag.String("through", "", "in a child process: the kind of factory that creates the informers of the cases")
	origin  = flag.String("origin", "", "in a child process: the beginning of the package path of the informers' stores")
)

var made atomic.Int64

// madeByFactories returns the number of informers that a factory has created.
func madeByFactories() int { return int(made.Load()) }

func newSharedInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration) cache.SharedInformer {
	return newSharedIndexInformer(lw, example, resync, nil)
}

// newSharedIndexInformer returns the informer of a factory whose client reads from lw. An
// informer of other objects than pods is created directly, and is not compared.
func newSharedIndexInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	if _, isPod := example.(*corev1.Pod); !isPod || lw == nil {
		return cache.NewSharedIndexInformer(lw, example, resync, indexers)
	}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	var informer cache.SharedIndexInformer
	switch *through {
	case "factory":
		informer = genericinformers.NewSharedInformerFactory(typedClient(lw), resync).Core().V1().Pods().Informer()
	case "dynamic":
		informer = dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient(lw), resync).ForResource(pods).Informer()
	case "metadata":
		informer = metadatainformer.NewSharedInformerFactory(metadataClient(lw), resync).ForResource(pods).Informer()
	default:
		panic(fmt.Sprintf("there is no factory %q", *through))
	}
	store := reflect.TypeOf(informer.GetIndexer())
	if store.Kind() == reflect.Pointer {
		store = store.Elem()
	}
	if !strings.HasPrefix(store.PkgPath(), *origin) {
		panic(fmt.Sprintf("the store is a %v of %s", store, store.PkgPath()))
	}
	for name, index := range indexers {
		if _, known := informer.GetIndexer().GetIndexers()[name]; known {
			continue // each factory has the index of namespaces
		}
		if err := informer.AddIndexers(cache.Indexers{name: index}); err != nil {
			panic(err)
		}
	}
	made.Add(1)
	return informer
}

// source is what each client reads from.
type source struct{ cache.ListerWatcherWithContext }

// semantics is a method of a client that says whether it streams the initial events.
type semantics interface{ IsWatchListSemanticsUnSupported() bool }

// typedClient returns a clientset whose pods are those of lw.
func typedClient(lw cache.ListerWatcher) kubernetes.Interface {
	client := typed{from: source{cache.ToListerWatcherWithContext(lw)}}
	if says, ok := lw.(semantics); ok {
		return struct {
			typed
			semantics
		}{client, says}
	}
	return client
}

type typed struct {
	kubernetes.Interface
	from source
}

func (c typed) CoreV1() typedcorev1.CoreV1Interface { return typedCore{from: c.from} }

type typedCore struct {
	typedcorev1.CoreV1Interface
	from source
}

func (c typedCore) Pods(string) typedcorev1.PodInterface { return typedPods{from: c.from} }

type typedPods struct {
	typedcorev1.PodInterface
	from source
}

func (c typedPods) List(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
	list, err := c.from.ListWithContext(ctx, options)
	if pods, isPods := list.(*corev1.PodList); isPods || list == nil || err != nil {
		return pods, err
	}
	converted := &corev1.PodList{}
	return converted, convertList(list, converted, func(object runtime.Object) {
		converted.Items = append(converted.Items, *object.(*corev1.Pod))
	})
}

func (c typedPods) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return c.from.WatchWithContext(ctx, options)
}

// dynamicClient returns a dynamic client with the pods of lw.
func dynamicClient(lw cache.ListerWatcher) dynamic.Interface {
	client := untyped{from: source{cache.ToListerWatcherWithContext(lw)}}
	if says, ok := lw.(semantics); ok {
		return struct {
			untyped
			semantics
		}{client, says}
	}
	return client
}

type untyped struct{ from source }

func (c untyped) Resource(schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return untypedPods{from: c.from}
}

type untypedPods struct {
	dynamic.NamespaceableResourceInterface
	from source
}

func (c untypedPods) Namespace(string) dynamic.ResourceInterface { return c }

func (c untypedPods) List(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	list, err := c.from.ListWithContext(ctx, options)
	if list == nil || err != nil {
		return nil, err
	}
	converted := &unstructured.UnstructuredList{}
	return converted, convertList(list, converted, func(object runtime.Object) {
		converted.Items = append(converted.Items, *toUnstructured(object).(*unstructured.Unstructured))
	})
}

func (c untypedPods) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return convertWatch(c.from, ctx, options, toUnstructured)
}

func toUnstructured(of runtime.Object) runtime.Object {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(of)
	if err != nil {
		panic(err) // objects of k8s.io/api can be converted
	}
	converted := &unstructured.Unstructured{Object: content}
	converted.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(reflect.TypeOf(of).Elem().Name()))
	return converted
}

// metadataClient returns a metadata client with the pods of lw.
func metadataClient(lw cache.ListerWatcher) metadata.Interface {
	client := partial{from: source{cache.ToListerWatcherWithContext(lw)}}
	if says, ok := lw.(semantics); ok {
		return struct {
			partial
			semantics
		}{client, says}
	}
	return client
}

type partial struct{ from source }

func (c partial) Resource(schema.GroupVersionResource) metadata.Getter {
	return partialPods{from: c.from}
}

type partialPods struct {
	metadata.Getter
	from source
}

func (c partialPods) Namespace(string) metadata.ResourceInterface { return c }

func (c partialPods) List(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	list, err := c.from.ListWithContext(ctx, options)
	if list == nil || err != nil {
		return nil, err
	}
	converted := &metav1.PartialObjectMetadataList{}
	return converted, convertList(list, converted, func(object runtime.Object) {
		converted.Items = append(converted.Items, *toPartial(object).(*metav1.PartialObjectMetadata))
	})
}

func (c partialPods) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return convertWatch(c.from, ctx, options, toPartial)
}

func toPartial(of runtime.Object) runtime.Object {
	return meta.AsPartialObjectMetadata(object(of))
}

// convertList calls add for each object of a list.
func convertList(list runtime.Object, into metav1.ListInterface, add func(runtime.Object)) error {
	of, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	into.SetResourceVersion(of.GetResourceVersion())
	into.SetContinue(of.GetContinue())
	return meta.EachListItem(list, func(object runtime.Object) error {
		add(object)
		return nil
	})
}

// convertWatch converts the objects of a watch, but not the reasons of its errors.
func convertWatch(from source, ctx context.Context, options metav1.ListOptions, convert func(runtime.Object) runtime.Object) (watch.Interface, error) {
	stream, err := from.WatchWithContext(ctx, options)
	if stream == nil || err != nil {
		return stream, err
	}
	converted := make(chan watch.Event)
	proxy := watch.NewProxyWatcher(converted)
	go func() {
		defer close(converted)
		defer stream.Stop()
		for {
			select {
			case event, open := <-stream.ResultChan():
				if !open {
					return
				}
				if _, isPod := event.Object.(*corev1.Pod); isPod {
					event.Object = convert(event.Object)
				}
				select {
				case converted <- event:
				case <-proxy.StopChan():
					return
				}
			case <-proxy.StopChan():
				return
			}
		}
	}()
	return proxy, nil
}
