package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type worker struct {
	pods   cache.Indexer
	synced cache.InformerSynced
	queue  workqueue.TypedDelayingInterface[string]
}

func newWorker(informer cache.SharedIndexInformer) *worker {
	w := &worker{informer.GetIndexer(), informer.HasSynced, workqueue.NewTypedDelayingQueue[string]()}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
			w.queue.Add(key)
		}
	}})
	if err != nil {
		panic(err)
	}
	return w
}

func (w *worker) run(stop <-chan struct{}) {
	if !cache.WaitForCacheSync(stop, w.synced) {
		return
	}
	for key, shutdown := w.queue.Get(); !shutdown; key, shutdown = w.queue.Get() {
		fmt.Println(w.pods.GetByKey(key))
		w.queue.Done(key)
	}
}
