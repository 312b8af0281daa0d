package memory

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	thinformer "github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

type ours[T object] struct {
	*running
	informer *thinformer.SharedInformer[T]
}

func openOurs[T object](s *script[T], merged bool, handlers []func(T)) informer[T] {
	return oursFrom(source[T]{s}, merged, handlers)
}

func oursFrom[T object](source listwatch.ListerWatcher[T], merged bool, handlers []func(T)) informer[T] {
	o := ours[T]{informer: thinformer.New(source, thinformer.Options[T]{PreferList: true})}
	options := thinformer.HandlerOptions{MaxPending: -1}
	if merged {
		options = thinformer.HandlerOptions{}
	}
	var synced []<-chan struct{}
	for _, handler := range handlers {
		registration, err := o.informer.AddEventHandler(thinformer.ResourceEventHandlerFuncs[T]{
			AddFunc:    func(T, bool) {},
			UpdateFunc: func(_, object T) { handler(object) },
		}, options)
		must(err)
		synced = append(synced, registration.Synced())
	}
	o.running = run(func(ctx context.Context) { must(o.informer.Run(ctx)) })
	must(o.informer.WaitForSync(context.Background()))
	for _, done := range synced {
		<-done
	}
	return o
}

func (o ours[T]) Get(like T) T {
	found, _ := o.informer.Get(like.GetNamespace() + "/" + like.GetName())
	return found
}

// source is the source in memory for our informers.
type source[T object] struct{ script *script[T] }

// WatchListUnsupported reports that watches do not send the initial state.
func (source[T]) WatchListUnsupported() string { return "it is made by hand" }

// SetWatchListUnsupported is never called, since WatchListUnsupported returns a reason.
func (source[T]) SetWatchListUnsupported(string) {}

func (s source[T]) List(context.Context, metav1.ListOptions) (*listwatch.List[T], error) {
	return rest.ListOf(newest(s.script.list), s.script.list...), nil
}

func (s source[T]) Watch(ctx context.Context, _ metav1.ListOptions) (*listwatch.Watch[T], error) {
	select {
	case <-s.script.begin:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	next := 0
	stopped := make(chan struct{})
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[T], error) {
		if next == s.script.updates {
			select {
			case <-ctx.Done():
				return listwatch.Event[T]{}, ctx.Err()
			case <-stopped:
				return listwatch.Event[T]{}, context.Canceled
			}
		}
		object := s.script.update(next)
		next++
		return listwatch.Event[T]{Type: watch.Modified, Object: object, ResourceVersion: object.GetResourceVersion()}, nil
	}, sync.OnceFunc(func() { close(stopped) })), nil
}

var (
	_ listwatch.ListerWatcher[*thing] = source[*thing]{}
	_ listwatch.WatchListRecorder     = source[*thing]{}
)
