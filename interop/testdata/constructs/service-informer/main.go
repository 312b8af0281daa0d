// An informer of a generated constructor without a selector, stored as the interface.
package main

import (
	"context"

	discoveryinformers "k8s.io/client-go/informers/discovery/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type resolver struct {
	slices cache.SharedIndexInformer
}

func main() {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	r := resolver{slices: discoveryinformers.NewEndpointSliceInformer(client, "shop", 0, cache.Indexers{})}
	go r.slices.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), r.slices.HasSynced)
}
