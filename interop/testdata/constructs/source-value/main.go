// The constructor of a source is a variable.
package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var (
	newSource = cache.NewListWatchFromClient
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	source := newSource(client.CoreV1().RESTClient(), "pods", "", fields.Everything())
	cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{}).Run(make(chan struct{}))
}
