// The program declares interfaces that an informer satisfies.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type subject interface {
	AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error)
	HasSynced() bool
}

type getter interface {
	GetByKey(key string) (any, bool, error)
}

var _ subject = cache.SharedIndexInformer(nil)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{})
	observe(informer, informer.GetStore())
}

func observe(s subject, g getter) {
	if _, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { fmt.Println(obj) }}); err != nil {
		panic(err)
	}
	fmt.Println(g.GetByKey("shop/web"))
}
