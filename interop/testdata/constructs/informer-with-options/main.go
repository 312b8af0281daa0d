// NewSharedIndexInformerWithOptions, as new generated code calls it.
package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	informer := cache.NewSharedIndexInformerWithOptions(
		cache.ToListWatcherWithWatchListSemantics(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), client),
		&corev1.Pod{},
		cache.SharedIndexInformerOptions{
			ResyncPeriod:      time.Minute,
			Indexers:          cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
			ObjectDescription: "pods of the shop",
		})
	informer.Run(make(chan struct{}))
}
