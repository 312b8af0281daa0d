// A DNS server's informer: functions convert full objects, and a Process of its own handles
// the deltas.
package main

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type processor func(cache.Indexer, cache.ResourceEventHandler) cache.ProcessFunc

func newIndexerInformer(lw cache.ListerWatcher, objType runtime.Object, handler cache.ResourceEventHandler, indexers cache.Indexers, build processor) (cache.Indexer, cache.Controller) {
	state := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, indexers)
	return state, cache.New(&cache.Config{
		Queue:            cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: state}),
		ListerWatcher:    lw,
		ObjectType:       objType,
		FullResyncPeriod: 0,
		Process:          build(state, handler),
	})
}

func process(state cache.Indexer, handler cache.ResourceEventHandler) cache.ProcessFunc {
	return func(obj any, initial bool) error {
		deltas, ok := obj.(cache.Deltas)
		if !ok {
			return errors.New("no deltas")
		}
		for _, d := range deltas {
			switch d.Type {
			case cache.Sync, cache.Added, cache.Updated, cache.Replaced:
				if old, exists, err := state.Get(d.Object); err == nil && exists {
					if err := state.Update(d.Object); err != nil {
						return err
					}
					handler.OnUpdate(old, d.Object)
					continue
				}
				if err := state.Add(d.Object); err != nil {
					return err
				}
				handler.OnAdd(d.Object, initial)
			case cache.Deleted:
				if err := state.Delete(d.Object); err != nil {
					return err
				}
				handler.OnDelete(d.Object)
			}
		}
		return nil
	}
}

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	_, controller := newIndexerInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Services("").List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Services("").Watch(ctx, opts)
		},
	}, &corev1.Service{}, cache.ResourceEventHandlerFuncs{}, cache.Indexers{}, process)
	controller.Run(make(chan struct{}))
}
