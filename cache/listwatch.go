package cache

import (
	"context"
	"fmt"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// ListFunc lists. One that has not returned a second after an informer or a
// Reflector was told to stop is left behind, and its answer thrown away; so is a
// WatchFunc, whose watch is stopped when it comes.
//
// Deprecated: use ListWithContextFunc.
type ListFunc func(options metav1.ListOptions) (runtime.Object, error)

// ListWithContextFunc lists, and can be stopped.
type ListWithContextFunc func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)

// WatchFunc watches.
//
// Deprecated: use WatchFuncWithContext.
type WatchFunc func(options metav1.ListOptions) (watch.Interface, error)

// WatchFuncWithContext watches, and can be stopped while it connects.
type WatchFuncWithContext func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)

// ListWatch is a ListerWatcher of functions: one that lists and one that
// watches. Of the two forms that each may have, the one with a context is used
// where there is one.
//
// A ListWatch that NewListWatchFromClient has made, and whose functions nobody
// has changed since, is more than that to an informer or a Reflector that knows
// the type of its objects: it is asked for the bytes of its answers, and they are
// decoded while they arrive, as in a [rest.View].
type ListWatch struct {
	// Deprecated: use ListWithContextFunc.
	ListFunc ListFunc
	// Deprecated: use WatchFuncWithContext.
	WatchFunc WatchFunc

	ListWithContextFunc  ListWithContextFunc
	WatchFuncWithContext WatchFuncWithContext

	// DisableChunking: informers and Reflectors ask for the whole list at once.
	// Default: in pages.
	DisableChunking bool

	// send sends what the functions would send; nil for a ListWatch made by hand.
	// made is what the functions were when that was so, and resource what
	// they ask for.
	send     rest.Send
	made     functions
	resource string
}

var (
	_ ListerWatcher            = (*ListWatch)(nil)
	_ ListerWatcherWithContext = (*ListWatch)(nil)
)

// List lists with whichever function there is.
//
// Deprecated: use ListWithContext.
func (lw *ListWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	if lw.ListFunc != nil {
		return lw.ListFunc(options)
	}
	return lw.ListWithContext(context.Background(), options)
}

// ListWithContext lists with whichever function there is.
func (lw *ListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	switch {
	case lw.ListWithContextFunc != nil:
		return lw.ListWithContextFunc(ctx, options)
	case lw.ListFunc != nil:
		return lw.ListFunc(options)
	}
	return nil, fmt.Errorf("list: %w: neither ListFunc nor ListWithContextFunc is set", listwatch.ErrNoFunc)
}

// Watch watches with whichever function there is.
//
// Deprecated: use WatchWithContext.
func (lw *ListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	if lw.WatchFunc != nil {
		return lw.WatchFunc(options)
	}
	return lw.WatchWithContext(context.Background(), options)
}

// WatchWithContext watches with whichever function there is.
func (lw *ListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	switch {
	case lw.WatchFuncWithContext != nil:
		return lw.WatchFuncWithContext(ctx, options)
	case lw.WatchFunc != nil:
		return lw.WatchFunc(options)
	}
	return nil, fmt.Errorf("watch: %w: neither WatchFunc nor WatchFuncWithContext is set", listwatch.ErrNoFunc)
}

// sender is what sends the requests of the ListWatch, nil unless its functions
// are those that it was made with: another one may ask for something else.
func (lw *ListWatch) sender() rest.Send {
	if lw.send == nil || lw.functions() != lw.made {
		return nil
	}
	return lw.send
}

// functions are the four of a ListWatch, so that they can be compared: each is
// its closure, with what that has captured, and not its code, which all that
// NewListWatchFromClient makes have in common.
type functions [4]unsafe.Pointer

func (lw *ListWatch) functions() functions {
	return functions{
		closure(&lw.ListFunc), closure(&lw.ListWithContextFunc),
		closure(&lw.WatchFunc), closure(&lw.WatchFuncWithContext),
	}
}

// closure is what a variable of a function type points to.
func closure[F ListFunc | ListWithContextFunc | WatchFunc | WatchFuncWithContext](f *F) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(f))
}

// watchListSemantics is what a source may say of itself: that it does not know
// of SendInitialEvents. The fakes of client-go do.
type watchListSemantics interface{ IsWatchListSemanticsUnSupported() bool }

// ToListWatcherWithWatchListSemantics is lw with the word of client on whether
// it streams the initial state. One that says nothing does.
func ToListWatcherWithWatchListSemantics(lw *ListWatch, client any) ListerWatcher {
	says, ok := client.(watchListSemantics)
	return &vouchedListWatch{lw, ok && says.IsWatchListSemanticsUnSupported()}
}

// vouchedListWatch is a ListWatch of a client that is known.
type vouchedListWatch struct {
	*ListWatch
	unsupported bool
}

// IsWatchListSemanticsUnSupported is what the client has said.
func (lw *vouchedListWatch) IsWatchListSemanticsUnSupported() bool { return lw.unsupported }
