package recovery

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/bench/outage"
)

func openTheirs(of sources, all []collection, proxy *outage.Proxy) *follower {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), klog.Logger{})) // logs nothing
	f := &follower{proxy: proxy, cancel: cancel, close: func() {}}
	for _, follow := range theirInformers(of, all, proxy) {
		check(follow.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}))
		f.running.Go(func() { follow.RunWithContext(ctx) })
		f.markers = append(f.markers, func() metav1.Object { return stored(follow.GetStore()) })
	}
	return f
}

func theirInformers(of sources, all []collection, proxy *outage.Proxy) (informers []cache.SharedIndexInformer) {
	if of == fromClientset {
		client := clientset(proxy)
		for _, c := range all {
			source := cache.NewListWatchFromClient(client.RESTClient(), c.Resource, metav1.NamespaceAll, fields.Everything())
			informers = append(informers, cache.NewSharedIndexInformerWithOptions(source, c.object, cache.SharedIndexInformerOptions{}))
		}
		return informers
	}
	client := must(dynamic.NewForConfig(theirConfig(proxy)))
	for _, c := range all {
		if of == fromViews {
			informers = append(informers, dynamicinformer.NewFilteredDynamicInformer(client, c.GroupVersionResource, metav1.NamespaceAll, 0, nil, nil).Informer())
			continue
		}
		objects := client.Resource(c.GroupVersionResource)
		source := &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return objects.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return objects.Watch(ctx, options)
			},
		}
		informers = append(informers, cache.NewSharedIndexInformerWithOptions(source, new(unstructured.Unstructured), cache.SharedIndexInformerOptions{}))
	}
	return informers
}

func theirConfig(proxy *outage.Proxy) *clientgo.Config {
	return &clientgo.Config{Host: proxy.URL, TLSClientConfig: clientgo.TLSClientConfig{CAData: proxy.Authority}, Dial: proxy.Dial, QPS: -1}
}

// clientset returns client-go's client for the core collections.
func clientset(proxy *outage.Proxy) *corev1client.CoreV1Client {
	return must(corev1client.NewForConfig(theirConfig(proxy)))
}

// stored returns the marker in the store of either cache package.
func stored(store interface {
	GetByKey(string) (any, bool, error)
}) metav1.Object {
	object, found, err := store.GetByKey(markerKey)
	check(err)
	if !found {
		return nil
	}
	return object.(metav1.Object)
}
