// The interface of the client of NewListWatchFromClient is named as a type.
package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func newPods(client cache.Getter) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client, "pods", "", fields.Everything()), &corev1.Pod{}, 0, cache.Indexers{})
}

func main() {
	newPods(kubernetes.NewForConfigOrDie(&rest.Config{}).CoreV1().RESTClient()).Run(make(chan struct{}))
}
