// Informers of a factory are fields of the type SharedIndexInformer.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type discovery struct {
	nodes    cache.SharedIndexInformer
	services cache.SharedInformer
	store    cache.Store
}

func newDiscovery(factory informers.SharedInformerFactory) *discovery {
	d := &discovery{
		nodes:    factory.Core().V1().Nodes().Informer(),
		services: factory.Core().V1().Services().Informer(),
	}
	d.store = d.services.GetStore()
	return d
}

func main() {
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	d := newDiscovery(factory)
	for _, informer := range []cache.SharedInformer{d.nodes, d.services} {
		go informer.Run(ctx.Done())
	}
	cache.WaitForCacheSync(ctx.Done(), d.nodes.HasSynced, d.services.HasSynced)
	obj, exists, err := d.store.GetByKey("shop/web")
	if exists && err == nil {
		fmt.Println(obj.(*corev1.Service).Spec.ClusterIP)
	}
}
