// An interface and a struct embed SharedIndexInformer.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type waiting interface {
	cache.SharedIndexInformer
	wait(ctx context.Context) bool
}

type named struct {
	cache.SharedIndexInformer
	name string
}

func (n named) wait(ctx context.Context) bool {
	return cache.WaitForNamedCacheSync(n.name, ctx.Done(), n.HasSynced)
}

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	var informer waiting = named{
		cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{}),
		"pods",
	}
	go informer.Run(make(chan struct{}))
	informer.wait(context.Background())
}
