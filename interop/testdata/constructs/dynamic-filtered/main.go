// A dynamic factory for one namespace with a selector, and one informer without a factory.
package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stop := make(chan struct{})
	client := dynamic.NewForConfigOrDie(&rest.Config{})
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "shop", func(opts *metav1.ListOptions) { opts.LabelSelector = "a=b" })
	factory.ForResource(resource).Informer()
	factory.Start(stop)
	single := dynamicinformer.NewFilteredDynamicInformer(client, resource, metav1.NamespaceAll, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, nil)
	lister := dynamiclister.New(single.Informer().GetIndexer(), resource)
	go single.Informer().Run(stop)
	if _, err := lister.Namespace("shop").Get("first"); err != nil {
		panic(err)
	}
}
