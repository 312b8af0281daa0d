// The functions that list a store by selector, and a generic lister.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

func main() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	var names []string
	add := func(obj any) { names = append(names, obj.(*corev1.Pod).Name) }
	if err := cache.ListAll(indexer, labels.Everything(), add); err != nil {
		panic(err)
	}
	if err := cache.ListAllByNamespace(indexer, "shop", labels.Everything(), add); err != nil {
		panic(err)
	}
	fmt.Println(names)
	var lister cache.GenericLister = cache.NewGenericLister(indexer, schema.GroupResource{Resource: "pods"})
	fmt.Println(lister.ByNamespace("shop").Get("web"))
}
