package memory

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

type theirs[T object] struct {
	*running
	informer cache.SharedIndexInformer
}

func openTheirs[T object](s *script[T], merged bool, handlers []func(T)) informer[T] {
	return theirsFrom(lister[T]{s}, merged, handlers)
}

func theirsFrom[T object](source cache.ListerWatcher, _ bool, handlers []func(T)) informer[T] {
	var none T
	t := theirs[T]{informer: cache.NewSharedIndexInformerWithOptions(source, any(none).(runtime.Object), cache.SharedIndexInformerOptions{})}
	synced := []<-chan struct{}{t.informer.HasSyncedChecker().Done()}
	for _, handler := range handlers {
		registration, err := t.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) {},
			UpdateFunc: func(_, object any) { handler(object.(T)) },
		})
		must(err)
		synced = append(synced, registration.HasSyncedChecker().Done())
	}
	t.running = run(t.informer.RunWithContext)
	for _, done := range synced {
		<-done
	}
	return t
}

func (t theirs[T]) Get(like T) T {
	found, _, err := t.informer.GetStore().Get(like)
	must(err)
	return found.(T)
}

// lister is the source in memory for client-go's informers.
type lister[T object] struct{ script *script[T] }

// IsWatchListSemanticsUnSupported reports that watches do not send the initial state.
func (lister[T]) IsWatchListSemanticsUnSupported() bool { return true }

// List returns a list object, which the reflector splits into items.
func (l lister[T]) List(metav1.ListOptions) (runtime.Object, error) {
	list := &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: newest(l.script.list)}}
	var items []runtime.Object
	for _, item := range l.script.list {
		items = append(items, item)
	}
	return list, apimeta.SetList(list, items)
}

// Watch fills its channel with all updates in advance if they are ready, so that
// client-go never waits for the source.
func (l lister[T]) Watch(metav1.ListOptions) (watch.Interface, error) {
	s := l.script
	w := stream{make(chan watch.Event)}
	if s.ready {
		w.events = make(chan watch.Event, s.updates)
	}
	send := func() {
		for i := range s.updates {
			w.events <- watch.Event{Type: watch.Modified, Object: s.update(i)}
		}
	}
	if s.ready {
		send()
	}
	<-s.begin
	if !s.ready {
		go send()
	}
	return w, nil
}

type stream struct{ events chan watch.Event }

func (s stream) ResultChan() <-chan watch.Event { return s.events }
func (stream) Stop()                            {}

var _ cache.ListerWatcher = lister[*thing]{}
