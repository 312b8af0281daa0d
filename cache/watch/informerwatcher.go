//lint:file-ignore SA1019 The signatures are client-go's.

package watch

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache"
)

// NewIndexerInformerWatcher is NewIndexerInformerWatcherWithLogger with klog's
// global logger.
func NewIndexerInformerWatcher(lw cache.ListerWatcher, objType runtime.Object) (cache.Indexer, cache.Controller, watch.Interface, <-chan struct{}) {
	return NewIndexerInformerWatcherWithLogger(klog.Background(), lw, objType)
}

// NewIndexerInformerWatcherWithLogger runs an informer, and returns its store,
// the informer, and its events as a watch. Stop of the watch ends the informer;
// the last channel is closed when it has ended.
//
// The informer has synced when its store has the first list, even if nothing has
// been read from the watch. Every event waits for the reader.
func NewIndexerInformerWatcherWithLogger(logger klog.Logger, lw cache.ListerWatcher, objType runtime.Object) (cache.Indexer, cache.Controller, watch.Interface, <-chan struct{}) {
	return newIndexerInformerWatcher(logger, lw, objType, nil)
}

func newIndexerInformerWatcher(logger klog.Logger, lw cache.ListerWatcher, objType runtime.Object, onError cache.WatchErrorHandlerWithContext) (cache.Indexer, cache.Controller, watch.Interface, <-chan struct{}) {
	informer := cache.NewSharedIndexInformer(lw, objType, 0, cache.Indexers{})
	events := make(chan watch.Event)
	watcher := watch.NewProxyWatcher(events)
	ctx := klog.NewContext(wait.ContextForChannel(watcher.StopChan()), logger)
	send := func(kind watch.EventType, obj any) {
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		object, ok := obj.(runtime.Object)
		if !ok {
			return // an informer of an objType stores nothing else
		}
		select {
		case events <- watch.Event{Type: kind, Object: object}:
		case <-ctx.Done():
		}
	}
	_, err := informer.AddEventHandlerWithOptions(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { send(watch.Added, obj) },
		UpdateFunc: func(_, obj any) { send(watch.Modified, obj) },
		DeleteFunc: func(obj any) { send(watch.Deleted, obj) },
	}, cache.HandlerOptions{Logger: &logger}) // without MaxPending: events are never merged
	if err == nil && onError != nil {
		err = informer.SetWatchErrorHandlerWithContext(onError)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(events) // the handler has ended with the informer
		if err != nil {
			logger.Error(err, "Informer cannot run")
			return
		}
		informer.RunWithContext(ctx)
	}()
	return informer.GetIndexer(), informer, watcher, done
}
