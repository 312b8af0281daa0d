//lint:file-ignore SA1019 The signatures are client-go's.

package watch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache"
)

// PreconditionFunc reports whether the objects of a store fulfil a condition. An
// error ends the wait.
type PreconditionFunc func(store cache.Store) (bool, error)

// ConditionFunc reports whether an event fulfils a condition. An error ends the
// wait. The object of an ERROR event is a Status.
type ConditionFunc func(event watch.Event) (bool, error)

// ErrWatchClosed is returned when a watch ends before its conditions are
// fulfilled.
var ErrWatchClosed = errors.New("the watch has ended before its conditions were fulfilled")

// UntilWithoutRetry reads events until each condition has been fulfilled, one
// after the other; one event may fulfil several. It returns the last event, nil
// if there was none. It stops the watch.
//
// The error is that of a condition, ErrWatchClosed, or one that wait.Interrupted
// recognizes and that wraps the cause of ctx.
func UntilWithoutRetry(ctx context.Context, watcher watch.Interface, conditions ...ConditionFunc) (*watch.Event, error) {
	defer watcher.Stop()
	var last *watch.Event
	for _, condition := range conditions {
		for fulfilled, isNew := false, false; !fulfilled; isNew = true {
			if last == nil || isNew {
				event, err := next(ctx, watcher)
				if err != nil {
					return last, err
				}
				last = &event
			}
			var err error
			if fulfilled, err = condition(*last); err != nil {
				return last, err
			}
		}
	}
	return last, nil
}

func next(ctx context.Context, watcher watch.Interface) (event watch.Event, err error) {
	select {
	case event, ok := <-watcher.ResultChan():
		if !ok {
			return event, ErrWatchClosed
		}
		return event, nil
	case <-ctx.Done():
		return event, wait.ErrorInterrupted(context.Cause(ctx))
	}
}

// Until is UntilWithoutRetry with a RetryWatcher: it begins after a version,
// which must not be empty or "0", and reconnects. It fails when the version of
// the last event has expired; UntilWithSync does not.
func Until(ctx context.Context, initialResourceVersion string, watcherClient cache.Watcher, conditions ...ConditionFunc) (*watch.Event, error) {
	watcher, err := newRetryWatcherOf(ctx, initialResourceVersion, watcherClient)
	if err != nil {
		return nil, err
	}
	return UntilWithoutRetry(ctx, watcher, conditions...)
}

// UntilWithSync runs an informer until each condition was fulfilled by one of
// its events, as UntilWithoutRetry. The first events are ADDED events of the
// objects that exist. If the precondition is not nil, the objects are tested
// first: if it returns true, the result is nil without an error.
//
// The informer lists again when it has to; then events are missing, but the last
// state of each object is delivered. It has ended when UntilWithSync returns.
func UntilWithSync(ctx context.Context, lw cache.ListerWatcher, objType runtime.Object, precondition PreconditionFunc, conditions ...ConditionFunc) (*watch.Event, error) {
	var failure atomic.Pointer[error] // the last one
	indexer, controller, watcher, done := newIndexerInformerWatcher(klog.FromContext(ctx), lw, objType,
		func(ctx context.Context, r *cache.Reflector, err error) {
			failure.Store(&err)
			cache.DefaultWatchErrorHandler(ctx, r, err)
		})
	defer func() { <-done }()
	defer watcher.Stop()
	if precondition != nil {
		if err := waitForSync(ctx, controller, done); err != nil {
			if last := failure.Load(); last != nil {
				err = fmt.Errorf("%w; the last failure: %w", err, *last)
			}
			return nil, fmt.Errorf("waiting until the informer has synced: %w", err)
		}
		if fulfilled, err := precondition(indexer); fulfilled || err != nil {
			return nil, err
		}
	}
	return UntilWithoutRetry(ctx, watcher, conditions...)
}

// waitForSync returns an error if ctx or the informer ends first.
func waitForSync(ctx context.Context, controller cache.Controller, done <-chan struct{}) error {
	select {
	case <-controller.HasSyncedChecker().Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-done:
		return ErrWatchClosed
	}
}

// ContextWithOptionalTimeout is context.WithTimeout, but a timeout of zero means
// none. A negative timeout is logged and means none too.
func ContextWithOptionalTimeout(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout < 0 {
		klog.FromContext(parent).Error(nil, "A timeout must not be negative; there is none now", "timeout", timeout)
	}
	if timeout <= 0 {
		return context.WithCancel(parent)
	}
	return context.WithTimeout(parent, timeout)
}
