package cache

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// untyped is somebody's watch, read by one goroutine.
type untyped[T any] struct {
	wants expectation
	// opener is the context that the watch was opened with.
	opener context.Context
	events <-chan watch.Event

	stopOnce sync.Once
	stopped  chan struct{}
	watch    watch.Interface
	leave    func() bool

	// final has ended the watch, and is returned again. It is next's.
	final error
}

// typedWatch is a watch, and what comes of it, as the rooms beneath know them. It
// ends with ctx. Stop of w is called once, whatever ends it.
func typedWatch[T any](ctx context.Context, w watch.Interface, events <-chan watch.Event, wants expectation) *listwatch.Watch[T] {
	u := &untyped[T]{wants: wants, opener: ctx, events: events, watch: w, stopped: make(chan struct{})}
	u.leave = context.AfterFunc(ctx, u.end)
	return rest.NewWatch(u.next, u.stop)
}

func (u *untyped[T]) stop() {
	u.leave()
	u.end()
}

func (u *untyped[T]) end() {
	u.stopOnce.Do(func() {
		close(u.stopped)
		u.watch.Stop()
	})
}

func (u *untyped[T]) next(ctx context.Context) (listwatch.Event[T], error) {
	if u.final != nil {
		return listwatch.Event[T]{}, u.final
	}
	event, err := u.receive(ctx)
	if err == nil {
		typed, wrong := u.typed(event)
		if wrong == nil {
			return typed, nil
		}
		if _, goesOn := wrong.(*listwatch.ItemError); goesOn {
			return listwatch.Event[T]{}, wrong
		}
		err = wrong
	}
	u.final = err
	u.stop()
	return listwatch.Event[T]{}, err
}

// receive waits for an event. What has ended the watch comes before what is still
// to be had from it. While events are there it asks the channels one by one, which
// costs a fraction of a select over all of them.
func (u *untyped[T]) receive(ctx context.Context) (watch.Event, error) {
	select {
	case <-u.stopped:
		return watch.Event{}, u.over()
	default:
	}
	if ctx.Err() != nil {
		return watch.Event{}, ended(ctx)
	}
	select {
	case event, open := <-u.events:
		return u.received(event, open)
	default:
	}
	select {
	case event, open := <-u.events:
		return u.received(event, open)
	case <-u.stopped:
		return watch.Event{}, u.over()
	case <-ctx.Done():
		return watch.Event{}, ended(ctx)
	}
}

func (u *untyped[T]) received(event watch.Event, open bool) (watch.Event, error) {
	if !open {
		return event, u.over()
	}
	return event, nil
}

// over is why nothing comes any more.
func (u *untyped[T]) over() error {
	if u.opener.Err() != nil {
		return ended(u.opener)
	}
	return io.EOF
}

func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("watch: %w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("watch: %w", ctx.Err())
}

// typed is an event as it is meant, or the error that it is.
func (u *untyped[T]) typed(event watch.Event) (listwatch.Event[T], error) {
	out := listwatch.Event[T]{Type: event.Type}
	switch event.Type {
	case watch.Added, watch.Modified, watch.Deleted:
		object, err := admit[T](u.wants, event.Type, event.Object)
		if err != nil {
			return out, err
		}
		named, err := meta.Accessor(event.Object)
		if err != nil {
			return out, itemError(event.Type, event.Object, fmt.Errorf("a %T has no metadata: %w", event.Object, err))
		}
		out.Object, out.ResourceVersion = object, named.GetResourceVersion()
		return out, nil
	case watch.Bookmark:
		named, err := meta.Accessor(event.Object)
		if isNil(event.Object) || err != nil {
			return out, fmt.Errorf("watch: a bookmark has a %T in it, which has no version", event.Object)
		}
		out.ResourceVersion = named.GetResourceVersion()
		out.InitialEventsEnd = named.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
		return out, nil
	case watch.Error:
		return out, statusErrorOf(event.Object)
	}
	return out, fmt.Errorf("watch: an event of the unknown type %q", event.Type)
}

// undecodable is what a client's decoder has said: to a reflector that is no
// failure of the server, although it comes in the form of one.
type undecodable struct{ said string }

func (e *undecodable) Error() string     { return "watch: " + e.said }
func (e *undecodable) Undecodable() bool { return true }

// causeUndecodable is how the watches of client-go mark what they could not
// decode.
const causeUndecodable = metav1.CauseType("ClientWatchDecoding")

// statusErrorOf is the error that an ERROR event is.
func statusErrorOf(object runtime.Object) error {
	status, ok := object.(*metav1.Status)
	if !ok || status == nil {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError,
			Message: fmt.Sprintf("an ERROR event came with a %T and no Status", object),
		}}
	}
	err := &apierrors.StatusError{ErrStatus: *status}
	if apierrors.HasStatusCause(err, causeUndecodable) {
		return &undecodable{status.Message}
	}
	return err
}
