package interop

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache"
)

// Client has the read methods of a client of one resource, either generated, such as
// clientset.CoreV1().Pods(namespace), or dynamic, such as
// client.Resource(resource).Namespace(namespace). L is its list type.
type Client[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListWatch returns a source that reads with a client of client-go. It is for informers
// of package cache and of client-go; convert it with [cache.ToTyped] for informers of
// package informer.
//
// It supports lists and watches. Fakes cannot stream initial events. To take this
// into account, pass the source and the clientset to
// [cache.ToListWatcherWithWatchListSemantics].
//
// The client decodes the objects. If that is too expensive, pass the RESTClient of a
// clientset's group to [cache.NewListWatchFromClient]; then this module decodes them.
//
// The modifiers change the options of each list and watch, in the given order, before the
// client receives them. They usually set the selectors. A nil modifier is ignored.
func ListWatch[L runtime.Object](client Client[L], modifiers ...func(*metav1.ListOptions)) *cache.ListWatch {
	if client == nil {
		return &cache.ListWatch{} // its lists and watches return an error
	}
	modified := func(options metav1.ListOptions) metav1.ListOptions {
		for _, modify := range modifiers {
			if modify != nil {
				modify(&options)
			}
		}
		return options
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, modified(options))
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, modified(options))
		},
	}
}
