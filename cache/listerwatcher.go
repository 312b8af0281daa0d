package cache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Lister lists what a source holds now.
//
// Deprecated: use ListerWithContext.
type Lister interface {
	// List returns a list object: its Items are what was listed, and its
	// ResourceVersion is where a watch goes on.
	List(options metav1.ListOptions) (runtime.Object, error)
}

// ListerWithContext is a Lister that can be stopped.
type ListerWithContext interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
}

// Watcher streams what changes in a source.
//
// Deprecated: use WatcherWithContext.
type Watcher interface {
	Watch(options metav1.ListOptions) (watch.Interface, error)
}

// WatcherWithContext is a Watcher that can be stopped while it connects.
type WatcherWithContext interface {
	WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListerWatcher is a source that can be kept up with. One that also has the
// methods of ListerWatcherWithContext is used through them.
//
// Deprecated: use ListerWatcherWithContext.
type ListerWatcher interface {
	Lister
	Watcher
}

// ListerWatcherWithContext is a ListerWatcher that can be stopped.
type ListerWatcherWithContext interface {
	ListerWithContext
	WatcherWithContext
}

// ToListerWithContext is l with a context: l itself if it takes one, else l
// without regard to it.
func ToListerWithContext(l Lister) ListerWithContext {
	if l, ok := l.(ListerWithContext); ok {
		return l
	}
	return contextlessLister{l}
}

type contextlessLister struct{ without Lister }

func (l contextlessLister) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return l.without.List(options)
}

// ToWatcherWithContext is w with a context: w itself if it takes one, else w
// without regard to it.
func ToWatcherWithContext(w Watcher) WatcherWithContext {
	if w, ok := w.(WatcherWithContext); ok {
		return w
	}
	return contextlessWatcher{w}
}

type contextlessWatcher struct{ without Watcher }

func (w contextlessWatcher) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return w.without.Watch(options)
}

// ToListerWatcherWithContext is lw with contexts, for each of its two methods as
// far as that takes one.
func ToListerWatcherWithContext(lw ListerWatcher) ListerWatcherWithContext {
	if lw, ok := lw.(ListerWatcherWithContext); ok {
		return lw
	}
	return struct {
		ListerWithContext
		WatcherWithContext
	}{ToListerWithContext(lw), ToWatcherWithContext(lw)}
}
