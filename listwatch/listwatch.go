package listwatch

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// List, Watch and Event are those of package rest, which streams them off the
// connection. rest.ListOf, rest.NewList and rest.NewWatch make them by hand.
type (
	List[T any]  = rest.List[T]
	Watch[T any] = rest.Watch[T]
	Event[T any] = rest.Event[T]
)

// Lister lists what a source holds now.
type Lister[T any] interface {
	List(context.Context, metav1.ListOptions) (*List[T], error)
}

// Watcher streams what changes in a source.
type Watcher[T any] interface {
	Watch(context.Context, metav1.ListOptions) (*Watch[T], error)
}

// ListerWatcher is a source that can be kept up with: list it, then watch it
// from the version of the list.
type ListerWatcher[T any] interface {
	Lister[T]
	Watcher[T]
}

// ListWatch is a ListerWatcher of two functions.
type ListWatch[T any] struct {
	ListFunc  func(context.Context, metav1.ListOptions) (*List[T], error)
	WatchFunc func(context.Context, metav1.ListOptions) (*Watch[T], error)
}

var (
	_ ListerWatcher[int]            = (*ListWatch[int])(nil)
	_ ListerWatcher[*rest.SlimMeta] = (*rest.View[*rest.SlimMeta])(nil)
)

// List calls ListFunc.
func (lw *ListWatch[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	if lw.ListFunc == nil {
		return nil, fmt.Errorf("list: %w: ListFunc is nil", ErrNoFunc)
	}
	return lw.ListFunc(ctx, opts)
}

// Watch calls WatchFunc.
func (lw *ListWatch[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	if lw.WatchFunc == nil {
		return nil, fmt.Errorf("watch: %w: WatchFunc is nil", ErrNoFunc)
	}
	return lw.WatchFunc(ctx, opts)
}
