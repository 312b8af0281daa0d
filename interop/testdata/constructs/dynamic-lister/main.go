// A dynamic lister over the program's own indexer.
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/tools/cache"
)

func main() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	lister := dynamiclister.New(indexer, schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
	fmt.Println(lister.Namespace("shop").Get("first"))
}
