// Informers are chosen by resource, and kept in a map.
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	generic := map[schema.GroupVersionResource]informers.GenericInformer{}
	for _, resource := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "pods"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
	} {
		informer, err := factory.ForResource(resource)
		if err != nil {
			panic(err)
		}
		generic[resource] = informer
		_, err = informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { fmt.Println(obj) }})
		if err != nil {
			panic(err)
		}
	}
	factory.Start(stop)
	for resource, informer := range generic {
		cache.WaitForCacheSync(stop, informer.Informer().HasSynced)
		all, err := informer.Lister().ByNamespace("shop").List(labels.Everything())
		fmt.Println(resource, len(all), err)
	}
}
