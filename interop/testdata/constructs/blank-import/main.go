// The library is imported for its side effects, beside a use in another file.
package main

import (
	_ "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func main() { workqueue.NewTyped[int]().ShutDown() }
