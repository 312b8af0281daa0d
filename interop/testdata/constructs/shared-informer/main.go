// NewSharedInformer, whose value is the smaller interface.
package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func newNodes(client kubernetes.Interface) cache.SharedInformer {
	return cache.NewSharedInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "nodes", "", fields.Everything()), &corev1.Node{}, 0)
}

func main() {
	nodes := newNodes(kubernetes.NewForConfigOrDie(&rest.Config{}))
	nodes.Run(make(chan struct{}))
}
