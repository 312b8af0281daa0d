// Dynamic informers in a map, each with a function that stops it.
package main

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type entry struct {
	informer informers.GenericInformer
	stop     context.CancelFunc
}

type set struct {
	mu      sync.Mutex
	client  dynamic.Interface
	entries map[schema.GroupVersionResource]entry
}

func (s *set) start(ctx context.Context, resource schema.GroupVersionResource) cache.SharedIndexInformer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, exists := s.entries[resource]; exists {
		return e.informer.Informer()
	}
	ctx, stop := context.WithCancel(ctx)
	informer := dynamicinformer.NewFilteredDynamicInformer(s.client, resource, "", 24*time.Hour, cache.Indexers{}, nil)
	s.entries[resource] = entry{informer, stop}
	go informer.Informer().Run(ctx.Done())
	return informer.Informer()
}

func main() {
	s := &set{client: dynamic.NewForConfigOrDie(&rest.Config{}), entries: map[schema.GroupVersionResource]entry{}}
	s.start(context.Background(), schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	for _, e := range s.entries {
		e.stop()
	}
}
