// Informers of metadata only, from a factory.
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	ctx := context.Background()
	factory := metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(&rest.Config{}), 0)
	pods := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.Informer().HasSynced) {
		return
	}
	if _, err := pods.Lister().List(labels.Everything()); err != nil {
		panic(err)
	}
}
