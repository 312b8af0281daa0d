package recovery

import (
	"context"
	"log/slog"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/thinformer/thinformer/bench/outage"
	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

func openOurs(of sources, all []collection, proxy *outage.Proxy) *follower {
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{proxy: proxy, cancel: cancel, close: func() {}}
	if of == fromClientset {
		f.followWithCache(ctx, all)
		return f
	}
	quiet := slog.New(slog.DiscardHandler)
	client := must(rest.New(&rest.Config{Host: proxy.URL, TLS: rest.TLSConfig{CAData: proxy.Authority}, Dial: proxy.Dial, Logger: quiet}))
	f.close = client.Close
	for _, c := range all {
		view := rest.NewView[*unstructured.Unstructured](client, c.ResourceInfo)
		var source listwatch.ListerWatcher[*unstructured.Unstructured] = view
		if of == fromFunctions {
			source = &listwatch.ListWatch[*unstructured.Unstructured]{ListFunc: view.List, WatchFunc: view.Watch}
		}
		follow := informer.New(source, informer.Options[*unstructured.Unstructured]{Name: c.Resource, Logger: quiet})
		f.running.Go(func() { check(follow.Run(ctx)) })
		f.markers = append(f.markers, func() metav1.Object {
			if object, found := follow.Get(markerKey); found {
				return object
			}
			return nil
		})
	}
	return f
}

// followWithCache starts informers of package cache, with the code of theirs.
func (f *follower) followWithCache(ctx context.Context, all []collection) {
	client := clientset(f.proxy)
	for _, c := range all {
		source := cache.NewListWatchFromClient(client.RESTClient(), c.Resource, metav1.NamespaceAll, fields.Everything())
		follow := cache.NewSharedIndexInformerWithOptions(source, c.object, cache.SharedIndexInformerOptions{})
		check(follow.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}))
		f.running.Go(func() { follow.RunWithContext(ctx) })
		f.markers = append(f.markers, func() metav1.Object { return stored(follow.GetStore()) })
	}
}
