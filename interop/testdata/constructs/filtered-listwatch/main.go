// NewFilteredListWatchFromClient with a function that changes the options.
package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	source := cache.NewFilteredListWatchFromClient(client.CoreV1().RESTClient(), "events", "shop", func(opts *metav1.ListOptions) {
		opts.FieldSelector = "type=Warning"
	})
	_, controller := cache.NewInformer(source, &corev1.Event{}, 0, cache.ResourceEventHandlerFuncs{})
	controller.Run(make(chan struct{}))
}
