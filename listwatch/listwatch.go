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
	// ItemError is one object of a list or watch that could not be decoded; the
	// list or watch goes on after it.
	ItemError = rest.ItemError
	// ResourceInfo is what a source may say of where its objects are served.
	ResourceInfo = rest.ResourceInfo
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
// from the version of the list. Package listwatchtest has the tests for one.
type ListerWatcher[T any] interface {
	Lister[T]
	Watcher[T]
}

// ListWatch is a ListerWatcher of two functions. One that [Modify] or [Select]
// has made also says of itself what the source beneath it does. It must not be
// copied after its first use.
type ListWatch[T any] struct {
	ListFunc  func(context.Context, metav1.ListOptions) (*List[T], error)
	WatchFunc func(context.Context, metav1.ListOptions) (*Watch[T], error)

	// beneath is what was narrowed; nil for one that is made by hand.
	beneath ListerWatcher[T]
	// trouble is where it is noted if beneath does not do that.
	trouble troubleNote
}

var (
	_ ListerWatcher[int]            = (*ListWatch[int])(nil)
	_ ListerWatcher[*rest.SlimMeta] = (*rest.View[*rest.SlimMeta])(nil)
)

// List calls ListFunc. Where that returns nothing at all, the error is
// ErrNothing.
func (lw *ListWatch[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	if lw.ListFunc == nil {
		return nil, fmt.Errorf("list: %w: ListFunc is nil", ErrNoFunc)
	}
	list, err := lw.ListFunc(ctx, opts)
	if err == nil && list == nil {
		return nil, fmt.Errorf("list: %w", ErrNothing)
	}
	return list, err
}

// Watch calls WatchFunc. Where that returns nothing at all, the error is
// ErrNothing.
func (lw *ListWatch[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	if lw.WatchFunc == nil {
		return nil, fmt.Errorf("watch: %w: WatchFunc is nil", ErrNoFunc)
	}
	w, err := lw.WatchFunc(ctx, opts)
	if err == nil && w == nil {
		return nil, fmt.Errorf("watch: %w", ErrNothing)
	}
	return w, err
}

// ResourceInfo is where the source beneath serves its objects, the zero value
// if that does not say or there is none.
func (lw *ListWatch[T]) ResourceInfo() rest.ResourceInfo {
	if served, ok := lw.beneath.(interface{ ResourceInfo() rest.ResourceInfo }); ok {
		return served.ResourceInfo()
	}
	return rest.ResourceInfo{}
}
