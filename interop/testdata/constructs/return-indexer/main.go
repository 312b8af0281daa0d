// Functions return an indexer, a store and a controller of the library.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func newIndexer() cache.Indexer {
	return cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.Indexers{"all": func(any) ([]string, error) { return []string{"all"}, nil }})
}

func newPods(client kubernetes.Interface, namespace string) (cache.Store, cache.Controller) {
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", namespace, fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{})
	return informer.GetStore(), informer.GetController()
}

func main() {
	store, controller := newPods(kubernetes.NewForConfigOrDie(&rest.Config{}), "shop")
	go controller.Run(make(chan struct{}))
	fmt.Println(newIndexer().GetIndexers(), store.ListKeys(), controller.HasSynced(), controller.LastSyncResourceVersion())
}
