// Generic functions and a generic type over stores, as in the admission plugins.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

type lister[T runtime.Object] struct{ indexer cache.Indexer }

func newLister[T runtime.Object](indexer cache.Indexer) lister[T] { return lister[T]{indexer} }

func (l lister[T]) get(key string) (T, error) {
	obj, exists, err := l.indexer.GetByKey(key)
	if err != nil || !exists {
		var none T
		return none, err
	}
	found, ok := obj.(T)
	if !ok {
		return found, fmt.Errorf("unexpected type %T", obj)
	}
	return found, nil
}

func all[T any](store cache.Store) (found []T) {
	for _, obj := range store.List() {
		found = append(found, obj.(T))
	}
	return found
}

func start[I interface{ Run(<-chan struct{}) }](stop <-chan struct{}, informers ...I) {
	for _, informer := range informers {
		go informer.Run(stop)
	}
}

func main() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	fmt.Println(newLister[*corev1.Pod](indexer).get("shop/web"))
	fmt.Println(len(all[*corev1.Pod](indexer)))
	start[cache.SharedIndexInformer](nil)
}
