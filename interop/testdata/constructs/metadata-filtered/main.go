// A filtered factory of metadata, a single informer and a lister of metadata.
package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/metadata/metadatalister"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stop := make(chan struct{})
	client := metadata.NewForConfigOrDie(&rest.Config{})
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, "shop", func(opts *metav1.ListOptions) { opts.LabelSelector = "a=b" })
	factory.ForResource(secrets)
	factory.Start(stop)
	single := metadatainformer.NewFilteredMetadataInformer(client, secrets, "shop", 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, nil)
	go single.Informer().Run(stop)
	if _, err := metadatalister.New(single.Informer().GetIndexer(), secrets).Namespace("shop").Get("token"); err != nil {
		panic(err)
	}
}
