// A type of the program is a ListerWatcher, as in exporters that count requests.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type counted struct {
	lw    cache.ListerWatcher
	lists int
}

func (c *counted) List(opts metav1.ListOptions) (runtime.Object, error) {
	c.lists++
	return c.lw.List(opts)
}

func (c *counted) Watch(opts metav1.ListOptions) (watch.Interface, error) {
	return c.lw.Watch(opts)
}

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	source := &counted{lw: cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything())}
	cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{}).Run(make(chan struct{}))
	fmt.Println(source.lists)
}
