package interop

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache"
)

// Client is what reads in the client of one resource, whether it is generated,
// like clientset.CoreV1().Pods(namespace), or dynamic, like
// client.Resource(resource).Namespace(namespace). L is its type of lists.
type Client[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListWatch is a source that reads with a client of client-go. It feeds
// informers of package cache, and of client-go; what [cache.ToTyped] makes of it,
// those of package informer.
//
// It is listed and then watched: whether the client streams initial states, which
// fakes do not, [cache.ToListWatcherWithWatchListSemantics] asks its clientset.
//
// The client decodes. Where that is the cost, [cache.NewListWatchFromClient]
// takes the RESTClient of a clientset's group, and this module decodes.
func ListWatch[L runtime.Object](client Client[L]) *cache.ListWatch {
	if client == nil {
		return &cache.ListWatch{} // whose lists and watches fail, and say so
	}
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return client.List(ctx, options)
	}
	return &cache.ListWatch{ListWithContextFunc: list, WatchFuncWithContext: client.Watch}
}
