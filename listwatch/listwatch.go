package listwatch

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// List, Watch and Event are the types of package rest, which streams them from
// the connection. Use rest.ListOf, rest.NewList and rest.NewWatch to create
// them.
type (
	List[T any]  = rest.List[T]
	Watch[T any] = rest.Watch[T]
	Event[T any] = rest.Event[T]
	// ItemError describes one object of a list or watch that could not be
	// decoded. The list or watch continues after it.
	ItemError = rest.ItemError
	// ResourceInfo describes the resource of a source.
	ResourceInfo = rest.ResourceInfo
)

// Lister lists the current contents of a source.
type Lister[T any] interface {
	List(context.Context, metav1.ListOptions) (*List[T], error)
}

// Watcher streams the changes of a source.
type Watcher[T any] interface {
	Watch(context.Context, metav1.ListOptions) (*Watch[T], error)
}

// ListerWatcher is a source that can be listed, and then watched from the
// version of the list. Package listwatchtest tests an implementation.
type ListerWatcher[T any] interface {
	Lister[T]
	Watcher[T]
}

// ListWatch is a ListerWatcher made of two functions. A ListWatch that [Modify]
// or [Select] has returned also implements the optional interfaces that its
// source implements. A ListWatch must not be copied after its first use.
type ListWatch[T any] struct {
	ListFunc  func(context.Context, metav1.ListOptions) (*List[T], error)
	WatchFunc func(context.Context, metav1.ListOptions) (*Watch[T], error)

	// Order declares whether the versions of the functions are ordered. Set it
	// to UnknownOrder for a fake. Default: Ordered.
	Order VersionOrder

	// SharedRecovery is the recovery state that readers of this source share with
	// readers of other sources of the same server. Default: nothing is shared.
	SharedRecovery *Recovery

	// source is the source given to Modify or Select; nil for other ListWatches.
	source ListerWatcher[T]
	// modify is the function given to Modify; nil for other ListWatches.
	modify func(*metav1.ListOptions)
	// err is why source could not be restricted.
	err error
	// unsupported records a reason if source does not record it.
	unsupported recordedReason
}

var (
	_ ListerWatcher[int]            = (*ListWatch[int])(nil)
	_ ListerWatcher[*rest.SlimMeta] = (*rest.View[*rest.SlimMeta])(nil)
)

// List calls ListFunc. If that returns nil without an error, the error is
// ErrNilResult.
func (lw *ListWatch[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	if lw.ListFunc == nil {
		return nil, fmt.Errorf("list: %w: ListFunc is nil", ErrNoFunc)
	}
	list, err := lw.ListFunc(ctx, opts)
	if err == nil && list == nil {
		return nil, fmt.Errorf("list: %w", ErrNilResult)
	}
	return list, err
}

// Watch calls WatchFunc. If that returns nil without an error, the error is
// ErrNilResult.
func (lw *ListWatch[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	if lw.WatchFunc == nil {
		return nil, fmt.Errorf("watch: %w: WatchFunc is nil", ErrNoFunc)
	}
	w, err := lw.WatchFunc(ctx, opts)
	if err == nil && w == nil {
		return nil, fmt.Errorf("watch: %w", ErrNilResult)
	}
	return w, err
}

// ResourceInfo returns the resource of the wrapped source, and the zero value if
// there is none.
func (lw *ListWatch[T]) ResourceInfo() rest.ResourceInfo {
	if describer, ok := lw.source.(ResourceDescriber); ok {
		return describer.ResourceInfo()
	}
	return rest.ResourceInfo{}
}
