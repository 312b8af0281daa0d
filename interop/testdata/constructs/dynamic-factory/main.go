// Informers without Go types, from a dynamic factory.
package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func main() {
	ctx := context.Background()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(&rest.Config{}), time.Minute)
	informer := factory.ForResource(widgets)
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { fmt.Println(obj.(*unstructured.Unstructured).GetName()) },
	})
	if err != nil {
		panic(err)
	}
	factory.Start(ctx.Done())
	for resource, ok := range factory.WaitForCacheSync(ctx.Done()) {
		fmt.Println(resource, ok)
	}
	fmt.Println(informer.Lister().List(labels.Everything()))
}
