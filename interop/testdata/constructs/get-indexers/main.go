// The result of GetIndexers is changed in place.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

func main() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	indexer.GetIndexers()["namespace"] = cache.MetaNamespaceIndexFunc
	fmt.Println(indexer.ListIndexFuncValues("namespace"))
}
