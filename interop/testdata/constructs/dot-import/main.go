// The library is imported into the file's scope.
package main

import (
	"fmt"

	. "k8s.io/client-go/tools/cache"
)

type store struct{ Indexer }

func main() {
	s := store{NewIndexer(MetaNamespaceKeyFunc, Indexers{})}
	fmt.Println(s.ListKeys(), ExplicitKey("a"))
}
