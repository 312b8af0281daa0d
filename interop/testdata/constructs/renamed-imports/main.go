// Both packages have other names.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	wq "k8s.io/client-go/util/workqueue"
)

// cache is the program's own type: the library has another name for that reason.
type cache struct {
	toolscache.Store
	workqueue wq.TypedInterface[string]
}

func main() {
	c := cache{toolscache.NewStore(toolscache.MetaNamespaceKeyFunc), wq.NewTyped[string]()}
	if err := c.Add(&corev1.Pod{}); err != nil {
		panic(err)
	}
	c.workqueue.Add("a")
	fmt.Println(c.ListKeys())
}
