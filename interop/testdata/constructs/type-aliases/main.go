// Aliases and named types of the library's types.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type (
	Informer    = cache.SharedIndexInformer
	Handler     = cache.ResourceEventHandlerFuncs
	Queue       workqueue.TypedInterface[string]
	KeyFunction cache.KeyFunc
)

func start(informers []Informer, stop chan struct{}) {
	for _, informer := range informers {
		go informer.Run(stop)
	}
}

func main() {
	start(nil, nil)
	handler := Handler{AddFunc: func(any) {}}
	handler.OnAdd(&corev1.Pod{}, true)
	var queue Queue = workqueue.NewTyped[string]()
	key := KeyFunction(cache.MetaNamespaceKeyFunc)
	name, err := key(&corev1.Pod{})
	queue.Add(name)
	fmt.Println(queue.Len(), err)
}
