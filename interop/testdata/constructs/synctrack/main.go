// A handler that counts the initial items it has processed.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/cache/synctrack"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{})
	tracker := synctrack.NewSingleFileTracker("pods")
	tracker.Start()
	tracker.Finished()
	value := &synctrack.Lazy[int]{Evaluate: func() (int, error) { return len(informer.GetStore().List()), nil }}
	value.Notify()
	fmt.Println(value.Get())
}
