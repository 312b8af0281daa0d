//lint:file-ignore SA1019 The signatures are client-go's.

package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache"
)

// minRestartDelay is the least time between the starts of two watches.
const minRestartDelay = time.Second

var errStopped = errors.New("the RetryWatcher was stopped")

// RetryWatcher is a watch that reconnects when its connection ends, and resumes
// after the last event. Bookmarks are not delivered.
//
// It ends with an ERROR event if a watch is forbidden, unauthorized or expired
// (410), or sends something without a resource version. It repeats other
// requests that fail, at most one each second, and not before a Retry-After.
type RetryWatcher struct {
	stop    context.CancelCauseFunc
	source  cache.WatcherWithContext
	version string // of the last event or bookmark
	events  chan watch.Event
	done    chan struct{}
}

var _ watch.Interface = (*RetryWatcher)(nil)

// NewRetryWatcher is NewRetryWatcherWithContext without a context.
//
// Deprecated: use NewRetryWatcherWithContext.
func NewRetryWatcher(initialResourceVersion string, watcherClient cache.Watcher) (*RetryWatcher, error) {
	return newRetryWatcherOf(context.Background(), initialResourceVersion, watcherClient)
}

// newRetryWatcherOf keeps a nil source nil.
func newRetryWatcherOf(ctx context.Context, version string, source cache.Watcher) (*RetryWatcher, error) {
	if source == nil {
		return NewRetryWatcherWithContext(ctx, version, nil)
	}
	return NewRetryWatcherWithContext(ctx, version, cache.ToWatcherWithContext(source))
}

// NewRetryWatcherWithContext returns a watch of the events after a version,
// which must not be empty or "0". It ends when Stop is called or ctx is done.
func NewRetryWatcherWithContext(ctx context.Context, initialResourceVersion string, watcherClient cache.WatcherWithContext) (*RetryWatcher, error) {
	switch {
	case initialResourceVersion == "" || initialResourceVersion == "0":
		return nil, fmt.Errorf("a RetryWatcher cannot begin at the resource version %q, where a watch begins with objects that exist", initialResourceVersion)
	case watcherClient == nil:
		return nil, errors.New("the source of the RetryWatcher is nil")
	}
	ctx, stop := context.WithCancelCause(ctx)
	w := &RetryWatcher{
		stop: stop, source: watcherClient, version: initialResourceVersion,
		events: make(chan watch.Event), done: make(chan struct{}),
	}
	go w.run(ctx)
	return w, nil
}

// ResultChan returns the channel of the events. It is closed at the end.
func (w *RetryWatcher) ResultChan() <-chan watch.Event { return w.events }

// Stop ends the watch. It does not wait for the end.
func (w *RetryWatcher) Stop() { w.stop(errStopped) }

// Done returns a channel that is closed when the watch has ended.
func (w *RetryWatcher) Done() <-chan struct{} { return w.done }

// run watches until the end.
func (w *RetryWatcher) run(ctx context.Context) {
	defer close(w.done)
	defer close(w.events)
	defer w.stop(nil)
	logger := klog.FromContext(ctx)
	for {
		begun := time.Now()
		retryAfter, ended := w.watchOnce(ctx)
		if ended {
			return
		}
		pause := time.NewTimer(max(retryAfter, minRestartDelay-time.Since(begun)))
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		logger.V(4).Info("Watching again", "resourceVersion", w.version)
	}
}

// watchOnce opens a watch and delivers its events. It reports whether there
// will be no further ones, or else how long to wait at least.
func (w *RetryWatcher) watchOnce(ctx context.Context) (retryAfter time.Duration, ended bool) {
	stream, err := w.source.WatchWithContext(ctx, metav1.ListOptions{ResourceVersion: w.version, AllowWatchBookmarks: true})
	switch {
	case err != nil:
		return w.refused(ctx, err)
	case stream == nil:
		klog.FromContext(ctx).Error(nil, "The source has returned neither a watch nor an error")
		return 0, false
	}
	defer stream.Stop()
	for {
		select {
		case <-ctx.Done():
			return 0, true
		case event, ok := <-stream.ResultChan():
			if !ok {
				return 0, false
			}
			if event.Type == watch.Error {
				return w.failed(ctx, event)
			}
			if ended := w.deliver(ctx, event); ended {
				return 0, true
			}
		}
	}
}

// refused handles the error of opening a watch.
func (w *RetryWatcher) refused(ctx context.Context, err error) (retryAfter time.Duration, ended bool) {
	logger := klog.FromContext(ctx)
	if ctx.Err() != nil {
		return 0, true
	}
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		logger.Error(err, "The watch has ended: the credentials are not valid, or have no permission to watch the resource")
		return 0, w.end(ctx, err)
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		logger.V(4).Info("The watch has ended: its resource version has expired", "resourceVersion", w.version, "err", err)
		return 0, w.end(ctx, err)
	}
	const message = "The watch could not be opened, and is repeated"
	if errors.Is(err, io.EOF) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err) {
		logger.V(4).Info(message, "resourceVersion", w.version, "err", err)
	} else {
		logger.Error(err, message, "resourceVersion", w.version)
	}
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return time.Duration(seconds) * time.Second, false
}

// end sends an ERROR event and returns true: the watch has ended.
func (w *RetryWatcher) end(ctx context.Context, err error) bool {
	status := apierrors.NewInternalError(err).Status()
	if refusal := apierrors.APIStatus(nil); errors.As(err, &refusal) {
		status = refusal.Status()
	}
	_ = w.send(ctx, watch.Event{Type: watch.Error, Object: &status})
	return true
}

// failed handles an ERROR event.
func (w *RetryWatcher) failed(ctx context.Context, event watch.Event) (retryAfter time.Duration, ended bool) {
	err := apierrors.FromObject(event.Object)
	failure := (*apierrors.StatusError)(nil)
	if !errors.As(err, &failure) {
		klog.FromContext(ctx).Error(nil, "The watch has sent an ERROR event without a Status, and is repeated", "type", fmt.Sprintf("%T", event.Object))
		return 0, false
	}
	if failure.ErrStatus.Code == http.StatusGone {
		_ = w.send(ctx, event)
		return 0, true
	}
	klog.FromContext(ctx).V(4).Info("The watch has failed, and is repeated", "resourceVersion", w.version, "err", failure)
	if details := failure.ErrStatus.Details; details != nil {
		retryAfter = time.Duration(details.RetryAfterSeconds) * time.Second
	}
	return retryAfter, false
}

// deliver sends an event other than an ERROR, and reports whether the watch has
// ended. An event without a version ends it, because it cannot be resumed.
func (w *RetryWatcher) deliver(ctx context.Context, event watch.Event) (ended bool) {
	switch event.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
	default:
		return w.end(ctx, fmt.Errorf("the watch has sent an event of the unknown type %q", event.Type))
	}
	version := ""
	if versioned, ok := event.Object.(interface{ GetResourceVersion() string }); ok {
		version = versioned.GetResourceVersion()
	}
	if version == "" {
		return w.end(ctx, fmt.Errorf("the watch has sent a %s event with a %T without a resource version", event.Type, event.Object))
	}
	if event.Type != watch.Bookmark && !w.send(ctx, event) {
		return true
	}
	w.version = version
	return false
}

// send reports whether the event was read.
func (w *RetryWatcher) send(ctx context.Context, event watch.Event) bool {
	select {
	case w.events <- event:
		return true
	case <-ctx.Done():
		return false
	}
}
