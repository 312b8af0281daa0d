// A dynamic factory for all kinds that discovery returns, started again for new ones.
package main

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type watcher struct {
	mu        sync.Mutex
	factory   dynamicinformer.DynamicSharedInformerFactory
	informers map[schema.GroupVersionResource]informers.GenericInformer
}

func (w *watcher) refresh(ctx context.Context, client discovery.DiscoveryInterface) error {
	lists, err := client.ServerPreferredResources()
	if err != nil {
		return err
	}
	resources, err := discovery.GroupVersionResources(discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, lists))
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for resource := range resources {
		if _, exists := w.informers[resource]; exists {
			continue
		}
		informer := w.factory.ForResource(resource)
		if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { fmt.Println(resource) }}); err != nil {
			return err
		}
		w.informers[resource] = informer
	}
	w.factory.Start(ctx.Done())
	return nil
}

func main() {
	config := &rest.Config{}
	w := &watcher{
		factory:   dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0),
		informers: map[schema.GroupVersionResource]informers.GenericInformer{},
	}
	if err := w.refresh(context.Background(), discovery.NewDiscoveryClientForConfigOrDie(config)); err != nil {
		panic(err)
	}
}
