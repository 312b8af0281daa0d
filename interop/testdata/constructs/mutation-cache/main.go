// A mutation cache above an informer's indexer keeps the program's own writes.
package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "serviceaccounts", "", fields.Everything()),
		&corev1.ServiceAccount{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	written := cache.NewIntegerResourceVersionMutationCache(klog.Background(), informer.GetStore(), informer.GetIndexer(), time.Minute, true)
	written.Mutation(&corev1.ServiceAccount{})
	fmt.Println(written.ByIndex(cache.NamespaceIndex, "shop"))
}
