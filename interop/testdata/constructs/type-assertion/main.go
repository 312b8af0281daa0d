// Informers are values of any, and asserted.
package main

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func describe(value any) {
	switch v := value.(type) {
	case cache.SharedIndexInformer:
		fmt.Println("informer", v.HasSynced())
	case cache.Indexer:
		fmt.Println("indexer", len(v.GetIndexers()))
	case cache.Store:
		fmt.Println("store", v.ListKeys())
	case cache.ResourceEventHandler:
		v.OnDelete(nil)
	}
}

func main() {
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	pods := factory.Core().V1().Pods().Informer()
	describe(pods)
	describe(pods.GetIndexer())
	describe(cache.ResourceEventHandlerFuncs{})
}
