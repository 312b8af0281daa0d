// The work is done by the functions of a ListWatch. listwatch_source.go makes a source for package reflector.

package cache

import (
	"context"
	"fmt"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Lister lists the objects of a source.
//
// Deprecated: use ListerWithContext.
type Lister interface {
	// List returns a list object: its Items are the objects, and a watch
	// continues at its ResourceVersion.
	List(options metav1.ListOptions) (runtime.Object, error)
}

// ListerWithContext is a Lister that can be canceled.
type ListerWithContext interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
}

// Watcher streams the changes of a source.
//
// Deprecated: use WatcherWithContext.
type Watcher interface {
	Watch(options metav1.ListOptions) (watch.Interface, error)
}

// WatcherWithContext is a Watcher that can be canceled while it connects.
type WatcherWithContext interface {
	WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListerWatcher is a source of lists and watches. If it also implements
// ListerWatcherWithContext, those methods are used.
//
// Deprecated: use ListerWatcherWithContext.
type ListerWatcher interface {
	Lister
	Watcher
}

// ListerWatcherWithContext is a ListerWatcher that can be canceled.
type ListerWatcherWithContext interface {
	ListerWithContext
	WatcherWithContext
}

// ToListerWithContext returns l if it implements ListerWithContext, else an
// adapter that ignores the context.
func ToListerWithContext(l Lister) ListerWithContext {
	if l, ok := l.(ListerWithContext); ok {
		return l
	}
	return contextlessLister{l}
}

type contextlessLister struct{ lister Lister }

func (l contextlessLister) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return l.lister.List(options)
}

// ToWatcherWithContext returns w if it implements WatcherWithContext, else an
// adapter that ignores the context.
func ToWatcherWithContext(w Watcher) WatcherWithContext {
	if w, ok := w.(WatcherWithContext); ok {
		return w
	}
	return contextlessWatcher{w}
}

type contextlessWatcher struct{ watcher Watcher }

func (w contextlessWatcher) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return w.watcher.Watch(options)
}

// ToListerWatcherWithContext returns lw if it implements
// ListerWatcherWithContext, else an adapter that ignores the context in each
// method that does not accept one.
func ToListerWatcherWithContext(lw ListerWatcher) ListerWatcherWithContext {
	if lw, ok := lw.(ListerWatcherWithContext); ok {
		return lw
	}
	return struct {
		ListerWithContext
		WatcherWithContext
	}{ToListerWithContext(lw), ToWatcherWithContext(lw)}
}

// ListFunc lists. A call that has not returned ten seconds after an informer or
// a Reflector was stopped is abandoned and its result discarded. The same
// applies to a WatchFunc; a watch that it returns later is stopped.
//
// Deprecated: use ListWithContextFunc.
type ListFunc = func(options metav1.ListOptions) (runtime.Object, error)

// ListWithContextFunc lists and can be canceled.
type ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)

// WatchFunc watches.
//
// Deprecated: use WatchFuncWithContext.
type WatchFunc = func(options metav1.ListOptions) (watch.Interface, error)

// WatchFuncWithContext watches and can be canceled while it connects.
type WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)

// ListWatch is a ListerWatcher made of a list function and a watch function.
// Each of them has two forms; the form with a context is preferred.
//
// If a ListWatch was made by NewListWatchFromClient and its functions were not
// changed, informers and Reflectors that know the type of the objects read the
// raw responses and decode them while they are received, as a [rest.View] does.
type ListWatch struct {
	// Deprecated: use ListWithContextFunc.
	ListFunc ListFunc
	// Deprecated: use WatchFuncWithContext.
	WatchFunc WatchFunc

	ListWithContextFunc  ListWithContextFunc
	WatchFuncWithContext WatchFuncWithContext

	// DisableChunking makes informers and Reflectors request the whole list at
	// once. Default: in pages.
	DisableChunking bool

	// rawRequest sends the requests of the functions and returns the raw
	// response; nil for a ListWatch that was not made by
	// NewListWatchFromClient. originalFunctions are the functions at that time.
	// They request resource in namespace.
	rawRequest        rest.RawRequestFunc
	originalFunctions functions
	resource          string
	namespace         string
	// recovery is shared with the other sources of the client; nil for a
	// ListWatch that was not made by NewListWatchFromClient.
	recovery *rest.Recovery
}

var (
	_ ListerWatcher            = (*ListWatch)(nil)
	_ ListerWatcherWithContext = (*ListWatch)(nil)
)

// List calls the list function.
//
// Deprecated: use ListWithContext.
func (lw *ListWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	if lw.ListFunc != nil {
		return lw.ListFunc(options)
	}
	return lw.ListWithContext(context.Background(), options)
}

// ListWithContext calls the list function.
func (lw *ListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	switch {
	case lw.ListWithContextFunc != nil:
		return lw.ListWithContextFunc(ctx, options)
	case lw.ListFunc != nil:
		return lw.ListFunc(options)
	}
	return nil, fmt.Errorf("list: %w: neither ListFunc nor ListWithContextFunc is set", listwatch.ErrNoFunc)
}

// Watch calls the watch function.
//
// Deprecated: use WatchWithContext.
func (lw *ListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	if lw.WatchFunc != nil {
		return lw.WatchFunc(options)
	}
	return lw.WatchWithContext(context.Background(), options)
}

// WatchWithContext calls the watch function.
func (lw *ListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	switch {
	case lw.WatchFuncWithContext != nil:
		return lw.WatchFuncWithContext(ctx, options)
	case lw.WatchFunc != nil:
		return lw.WatchFunc(options)
	}
	return nil, fmt.Errorf("watch: %w: neither WatchFunc nor WatchFuncWithContext is set", listwatch.ErrNoFunc)
}

// rawRequestFunc returns rawRequest, or nil if the functions were changed,
// because a changed function may request something else.
func (lw *ListWatch) rawRequestFunc() rest.RawRequestFunc {
	if lw.rawRequest == nil || lw.functions() != lw.originalFunctions {
		return nil
	}
	return lw.rawRequest
}

// nameWithNamespace appends the namespace of lw to name, so that sources of one
// resource have different names.
func nameWithNamespace(name string, lw ListerWatcher) string {
	if nilcheck.IsNilPointer(lw) {
		return name
	}
	if inner := listWatchIn(lw); inner != nil && inner.namespace != "" {
		return name + " -n " + inner.namespace
	}
	return name
}

// functions identifies the four functions of a ListWatch for comparison. It
// contains closures and not code pointers, because all results of
// NewListWatchFromClient share their code.
type functions [4]unsafe.Pointer

func (lw *ListWatch) functions() functions {
	return functions{
		closure(&lw.ListFunc), closure(&lw.ListWithContextFunc),
		closure(&lw.WatchFunc), closure(&lw.WatchFuncWithContext),
	}
}

// closure returns the pointer in a variable of a function type.
func closure[F ListFunc | ListWithContextFunc | WatchFunc | WatchFuncWithContext](f *F) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(f))
}

// watchListSemantics is implemented by sources that report whether they support
// SendInitialEvents, such as the fakes of client-go.
type watchListSemantics interface{ IsWatchListSemanticsUnSupported() bool }

// ToListWatcherWithWatchListSemantics returns lw as a source that streams
// initial events if client supports them. A client that does not declare
// this is assumed to support them.
func ToListWatcherWithWatchListSemantics(lw *ListWatch, client any) ListerWatcher {
	semantics, ok := client.(watchListSemantics)
	return &semanticsListWatch{lw, ok && semantics.IsWatchListSemanticsUnSupported()}
}

// semanticsListWatch is a ListWatch that reports whether it supports initial
// events.
type semanticsListWatch struct {
	*ListWatch
	unsupported bool
}

// IsWatchListSemanticsUnSupported reports whether the client does not
// support initial events.
func (lw *semanticsListWatch) IsWatchListSemanticsUnSupported() bool { return lw.unsupported }
