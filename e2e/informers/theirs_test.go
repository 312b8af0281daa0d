package informers

import (
	"context"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/rest"
)

// theirs is an informer of client-go's.
type theirs struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
	history *history
	reads   *atomic.Int64 // the number of initial reads
}

// newTheirs returns an informer of a source, with an example of its objects.
func newTheirs(source *cache.ListWatch, example runtime.Object, v view) (*theirs, error) {
	i := &theirs{history: newHistory(), reads: new(atomic.Int64)}
	counted := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			if o.Continue == "" {
				i.reads.Add(1)
			}
			o.LabelSelector = v.selector()
			return source.ListWithContextFunc(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			if o.SendInitialEvents != nil && *o.SendInitialEvents {
				i.reads.Add(1)
			}
			o.LabelSelector = v.selector()
			return source.WatchFuncWithContext(ctx, o)
		},
	}, v)
	i.SharedIndexInformer = cache.NewSharedIndexInformerWithOptions(counted, example, cache.SharedIndexInformerOptions{})
	// Failures are expected, and not logged.
	if err := i.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
		return nil, err
	}
	var err error
	i.handler, err = i.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(o any, initial bool) { i.history.add(o.(rest.Object), initial) },
		UpdateFunc: func(old, o any) { i.history.update(old.(rest.Object), o.(rest.Object)) },
		DeleteFunc: func(o any) {
			gone, unknown := o.(cache.DeletedFinalStateUnknown)
			if unknown {
				o = gone.Obj
			}
			i.history.remove(o.(rest.Object), unknown)
		},
	})
	return i, err
}

func (i *theirs) stored() map[string]rest.Object {
	all := map[string]rest.Object{}
	for _, o := range i.GetStore().List() {
		object := o.(rest.Object)
		all[keyOf(object)] = object
	}
	return all
}

// typedSource reads typed objects, in the encoding of the configuration.
func typedSource(config *clientgo.Config, k *kind) (*cache.ListWatch, error) {
	version := k.GroupVersion()
	config.APIPath, config.GroupVersion = "/apis", &version
	if version.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := clientgo.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	request := func(o metav1.ListOptions) *clientgo.Request {
		return client.Get().Namespace(namespace).Resource(k.Resource).VersionedParams(&o, scheme.ParameterCodec)
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return request(o).Do(ctx).Get()
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.Watch = true
			return request(o).Watch(ctx)
		},
	}, nil
}

// unstructuredSource reads unstructured objects.
func unstructuredSource(config *clientgo.Config, k *kind) (*cache.ListWatch, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	resource := client.Resource(k.GroupVersionResource).Namespace(namespace)
	return listWatch(resource.List, resource.Watch), nil
}

// metadataSource reads metadata only.
func metadataSource(config *clientgo.Config, k *kind) (*cache.ListWatch, error) {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	resource := client.Resource(k.GroupVersionResource).Namespace(namespace)
	return listWatch(resource.List, resource.Watch), nil
}

// listWatch returns a source of the methods of an untyped client.
func listWatch[L runtime.Object](
	listFunc func(context.Context, metav1.ListOptions) (L, error),
	watchFunc func(context.Context, metav1.ListOptions) (watch.Interface, error),
) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return listFunc(ctx, o)
		},
		WatchFuncWithContext: watchFunc,
	}
}
