package behaviour

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

type listOptions = metav1.ListOptions

// listWatch calls a ListWatch with some of its functions set.
func (s *scenario) listWatch() {
	list := func(what string) func(listOptions) (runtime.Object, error) {
		return func(listOptions) (runtime.Object, error) { return nil, errors.New(what) }
	}
	stream := func(what string) func(listOptions) (watch.Interface, error) {
		return func(listOptions) (watch.Interface, error) { return nil, errors.New(what) }
	}
	listIn := func(what string) func(context.Context, listOptions) (runtime.Object, error) {
		return func(context.Context, listOptions) (runtime.Object, error) { return nil, errors.New(what) }
	}
	streamIn := func(what string) func(context.Context, listOptions) (watch.Interface, error) {
		return func(context.Context, listOptions) (watch.Interface, error) { return nil, errors.New(what) }
	}
	for name, lw := range inOrder(map[string]*cache.ListWatch{
		"old forms": {ListFunc: list("ListFunc"), WatchFunc: stream("WatchFunc")},
		"new forms": {ListWithContextFunc: listIn("ListWithContextFunc"), WatchFuncWithContext: streamIn("WatchFuncWithContext")},
		"both":      {ListFunc: list("ListFunc"), WatchFunc: stream("WatchFunc"), ListWithContextFunc: listIn("ListWithContextFunc"), WatchFuncWithContext: streamIn("WatchFuncWithContext")},
	}) {
		_, err := lw.List(listOptions{})
		s.printf("%s, List: %v", name, err)
		_, err = lw.Watch(listOptions{})
		s.printf("%s, Watch: %v", name, err)
		_, err = lw.ListWithContext(context.Background(), listOptions{})
		s.printf("%s, ListWithContext: %v", name, err)
		_, err = lw.WatchWithContext(context.Background(), listOptions{})
		s.printf("%s, WatchWithContext: %v", name, err)
	}
}
