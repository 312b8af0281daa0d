package memory

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache"
)

// layer is an informer of package cache, with the same source as theirs.
type layer[T object] struct {
	*running
	informer cache.SharedIndexInformer
}

func openLayer[T object](s *script[T], merged bool, handlers []func(T)) informer[T] {
	return layerFrom(lister[T]{s}, merged, handlers)
}

// handMade is a source without a context, as users write it.
type handMade interface {
	List(options metav1.ListOptions) (runtime.Object, error)
	Watch(options metav1.ListOptions) (watch.Interface, error)
}

func layerFrom[T object](source handMade, _ bool, handlers []func(T)) informer[T] {
	var none T
	l := layer[T]{informer: cache.NewSharedIndexInformerWithOptions(source, any(none).(runtime.Object), cache.SharedIndexInformerOptions{})}
	synced := []<-chan struct{}{l.informer.HasSyncedChecker().Done()}
	for _, handler := range handlers {
		registration, err := l.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) {},
			UpdateFunc: func(_, object any) { handler(object.(T)) },
		})
		must(err)
		synced = append(synced, registration.HasSyncedChecker().Done())
	}
	l.running = run(l.informer.RunWithContext)
	for _, done := range synced {
		<-done
	}
	return l
}

func (l layer[T]) Get(like T) T {
	found, _, err := l.informer.GetStore().Get(like)
	must(err)
	return found.(T)
}
