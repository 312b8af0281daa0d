// The informer of the documentation: the bytes of a clientset's client.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "shop", fields.Everything())
	indexer, informer := cache.NewIndexerInformer(source, &corev1.Pod{}, 0, cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				queue.Add(key)
			}
		},
	}, cache.Indexers{})
	stop := make(chan struct{})
	go informer.Run(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		return
	}
	key, _ := queue.Get()
	fmt.Println(indexer.GetByKey(key))
}
