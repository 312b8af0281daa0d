// One factory for each namespace.
package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	factories := map[string]informers.SharedInformerFactory{}
	listers := map[string]corelisters.ServiceNamespaceLister{}
	for _, namespace := range []string{"shop", "billing"} {
		factory := informers.NewSharedInformerFactoryWithOptions(client, time.Minute, informers.WithNamespace(namespace))
		_, err := factory.Core().V1().Services().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			DeleteFunc: func(obj any) { fmt.Println(cache.DeletionHandlingMetaNamespaceKeyFunc(obj)) },
		})
		if err != nil {
			panic(err)
		}
		factories[namespace] = factory
		listers[namespace] = factory.Core().V1().Services().Lister().Services(namespace)
	}
	for _, factory := range factories {
		factory.Start(ctx.Done())
	}
	for namespace, factory := range factories {
		for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
			if !ok {
				panic(kind.String())
			}
		}
		fmt.Println(listers[namespace].List(labels.Everything()))
	}
}
