// Filtering handlers, detailed functions and tombstones on the program's own informer.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{})
	if _, err := informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			switch o := obj.(type) {
			case *corev1.Pod:
				return o.Spec.NodeName != ""
			case cache.DeletedFinalStateUnknown:
				_, ok := o.Obj.(*corev1.Pod)
				return ok
			}
			return false
		},
		Handler: cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { fmt.Println("assigned", obj) }},
	}); err != nil {
		panic(err)
	}
	registration, err := informer.AddEventHandlerWithOptions(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) { fmt.Println(obj, initial) },
	}, cache.HandlerOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(registration.HasSynced())
	informer.Run(make(chan struct{}))
}
