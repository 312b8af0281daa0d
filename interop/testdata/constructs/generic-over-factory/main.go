// A generic wrapper of a factory's informer, with a typed lister.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type typed[T any] struct {
	cache.SharedIndexInformer
	list func(labels.Selector) ([]T, error)
}

func wrap[T any](informer cache.SharedIndexInformer) typed[T] {
	return typed[T]{informer, func(selector labels.Selector) (found []T, err error) {
		err = cache.ListAll(informer.GetIndexer(), selector, func(obj any) { found = append(found, obj.(T)) })
		return found, err
	}}
}

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	pods := wrap[*corev1.Pod](factory.Core().V1().Pods().Informer())
	factory.Start(stop)
	cache.WaitForCacheSync(stop, pods.HasSynced)
	fmt.Println(pods.list(labels.Everything()))
}
