// A constructor is a variable, which tests replace.
package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var (
	newInformer = cache.NewSharedIndexInformer
	keyOf       = cache.MetaNamespaceKeyFunc
)

type wait func(stop <-chan struct{}, synced ...cache.InformerSynced) bool

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	informer := newInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{})
	stop := make(chan struct{})
	go informer.Run(stop)
	wait(cache.WaitForCacheSync)(stop, informer.HasSynced)
	if _, err := keyOf(&corev1.Pod{}); err != nil {
		panic(err)
	}
}
