// One file imports the package under two names.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
	kcache "k8s.io/client-go/tools/cache"
)

func main() {
	var store kcache.Store = cache.NewStore(kcache.MetaNamespaceKeyFunc)
	fmt.Println(store.ListKeys())
}
