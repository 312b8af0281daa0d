// Variables have the names of the packages.
package main

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	informers := []cache.SharedIndexInformer{factory.Core().V1().Pods().Informer()}
	for _, informer := range informers {
		cache := informer.GetStore()
		fmt.Println(cache.ListKeys())
	}
	factory.Start(stop)
}
