// A factory is passed as an interface with some of its methods, as in the quota controller.
package main

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

type informerFactory interface {
	ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error)
	Start(stop <-chan struct{})
}

type waiter interface {
	WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool
}

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	monitor(factory, stop)
	wait(factory, stop)
}

func monitor(factory informerFactory, stop <-chan struct{}) {
	quotas, err := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"})
	if err != nil {
		panic(err)
	}
	factory.Start(stop)
	fmt.Println(quotas.Informer().HasSynced())
}

func wait(factory waiter, stop <-chan struct{}) {
	for kind, ok := range factory.WaitForCacheSync(stop) {
		fmt.Println(kind, ok)
	}
}
