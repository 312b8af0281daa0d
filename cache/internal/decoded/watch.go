package decoded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// watchAdapter adapts a watch.Interface to a typed watch. One goroutine reads
// it.
type watchAdapter[T any] struct {
	wants ExpectedType
	// ctx is the context with which the watch was opened.
	ctx    context.Context
	events <-chan watch.Event

	stopOnce      sync.Once
	stopped       chan struct{}
	watch         watch.Interface
	stopAfterFunc func() bool

	// err has ended the watch and is returned by all further calls. It is used
	// only by next.
	err error
}

// newTypedWatch returns w as a typed watch. It ends with ctx. w.Stop is called
// exactly once.
func newTypedWatch[T any](ctx context.Context, w watch.Interface, events <-chan watch.Event, wants ExpectedType) *listwatch.Watch[T] {
	u := &watchAdapter[T]{wants: wants, ctx: ctx, events: events, watch: w, stopped: make(chan struct{})}
	u.stopAfterFunc = context.AfterFunc(ctx, u.end)
	return rest.NewWatch(u.next, u.stop)
}

func (a *watchAdapter[T]) stop() {
	a.stopAfterFunc()
	a.end()
}

func (a *watchAdapter[T]) end() {
	a.stopOnce.Do(func() {
		close(a.stopped)
		a.watch.Stop()
	})
}

func (a *watchAdapter[T]) next(ctx context.Context) (listwatch.Event[T], error) {
	if a.err != nil {
		return listwatch.Event[T]{}, a.err
	}
	event, err := a.receive(ctx)
	if err == nil {
		typed, wrong := a.convert(event)
		if wrong == nil {
			return typed, nil
		}
		if _, continues := wrong.(*listwatch.ItemError); continues {
			return listwatch.Event[T]{}, wrong
		}
		err = wrong
	}
	a.err = err
	a.stop()
	return listwatch.Event[T]{}, err
}

// receive waits for an event. The end of the watch takes precedence over
// remaining events. While events are available it polls the channels one by
// one, which is much faster than a select over all of them.
func (a *watchAdapter[T]) receive(ctx context.Context) (watch.Event, error) {
	select {
	case <-a.stopped:
		return watch.Event{}, a.endError()
	default:
	}
	if ctx.Err() != nil {
		return watch.Event{}, contextError(ctx)
	}
	select {
	case event, open := <-a.events:
		return a.received(event, open)
	default:
	}
	select {
	case event, open := <-a.events:
		return a.received(event, open)
	case <-a.stopped:
		return watch.Event{}, a.endError()
	case <-ctx.Done():
		return watch.Event{}, contextError(ctx)
	}
}

func (a *watchAdapter[T]) received(event watch.Event, open bool) (watch.Event, error) {
	if !open {
		return event, a.endError()
	}
	return event, nil
}

// endError returns the reason why the watch has ended.
func (a *watchAdapter[T]) endError() error {
	if a.ctx.Err() != nil {
		return contextError(a.ctx)
	}
	return io.EOF
}

func contextError(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("watch: %w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("watch: %w", ctx.Err())
}

// convert returns the typed form of an event, or the error that it contains.
func (a *watchAdapter[T]) convert(event watch.Event) (listwatch.Event[T], error) {
	out := listwatch.Event[T]{Type: event.Type}
	switch event.Type {
	case watch.Added, watch.Modified, watch.Deleted:
		object, err := convert[T](a.wants, event.Type, event.Object)
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
		if nilcheck.IsNilPointer(event.Object) || err != nil {
			return out, fmt.Errorf("watch: a bookmark contains a %T, which has no resource version", event.Object)
		}
		out.ResourceVersion = named.GetResourceVersion()
		out.InitialEventsEnd = named.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
		return out, nil
	case watch.Error:
		return out, statusErrorOf(event.Object)
	}
	return out, fmt.Errorf("watch: unknown event type %q", event.Type)
}

// decodeError is the error of an ERROR event that the client sends because it
// cannot decode an object. The server has not failed.
type decodeError struct{ message string }

func (e *decodeError) Error() string { return "watch: " + e.message }

func (e *decodeError) Undecodable() bool { return true }

// CauseUndecodable is the cause with which client-go marks objects that it
// could not decode.
const CauseUndecodable = metav1.CauseType("ClientWatchDecoding")

// statusErrorOf returns the error of an ERROR event.
func statusErrorOf(object runtime.Object) error {
	status, ok := object.(*metav1.Status)
	if !ok || status == nil {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError,
			Message: fmt.Sprintf("an ERROR event contains a %T instead of a Status", object),
		}}
	}
	err := &apierrors.StatusError{ErrStatus: *status}
	if apierrors.HasStatusCause(err, CauseUndecodable) {
		return &decodeError{status.Message}
	}
	return err
}

// WatchInterface returns the result of a client's Watch as a watch.Interface.
func WatchInterface(w any) (watch.Interface, error) {
	switch w := w.(type) {
	case watch.Interface:
		return w, nil
	case *rest.Watch[*unstructured.Unstructured]:
		return newChannelWatch(w), nil
	default:
		return nil, fmt.Errorf("watch: the client returned a %T, which is not a watch", w)
	}
}

// channelWatch sends the events of a Watch over a channel.
type channelWatch struct {
	watch   *rest.Watch[*unstructured.Unstructured]
	ctx     context.Context
	cancel  context.CancelFunc
	events  chan watch.Event
	running sync.WaitGroup
}

// newChannelWatch returns w as a watch.Interface. Its goroutine ends with Stop
// or with the watch.
func newChannelWatch(w *rest.Watch[*unstructured.Unstructured]) watch.Interface {
	f := &channelWatch{watch: w, events: make(chan watch.Event)}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.running.Go(f.run)
	return f
}

// ResultChan returns the channel of events.
func (w *channelWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop ends the watch and waits for its goroutine.
func (w *channelWatch) Stop() {
	w.cancel()
	w.watch.Stop()
	w.running.Wait()
}

func (w *channelWatch) run() {
	defer close(w.events)
	defer w.watch.Stop()
	for {
		event, err := w.watch.Next(w.ctx)
		out, continues := eventOf(event, err)
		if w.ctx.Err() != nil || out.Type == "" {
			return
		}
		select {
		case w.events <- out:
		case <-w.ctx.Done():
			return
		}
		if !continues {
			return
		}
	}
}

// eventOf converts an event or an error. The result has no type if the channel
// is to be closed without an event.
func eventOf(event rest.Event[*unstructured.Unstructured], err error) (out watch.Event, continues bool) {
	var status apierrors.APIStatus
	var item *rest.ItemError
	switch {
	case err == nil:
		return watch.Event{Type: event.Type, Object: objectOf(event)}, true
	case errors.As(err, &status):
		failure := status.Status()
		return watch.Event{Type: watch.Error, Object: &failure}, false
	case errors.As(err, &item):
		failure := apierrors.NewInternalError(err).Status()
		failure.Details.Causes = append(failure.Details.Causes, metav1.StatusCause{Type: CauseUndecodable, Message: err.Error()})
		return watch.Event{Type: watch.Error, Object: &failure}, false
	}
	return watch.Event{}, false
}

// objectOf returns the object of an event. For a bookmark it contains only the
// version and the annotation.
func objectOf(event rest.Event[*unstructured.Unstructured]) runtime.Object {
	if event.Type != watch.Bookmark {
		return event.Object
	}
	mark := &unstructured.Unstructured{Object: map[string]any{}}
	mark.SetResourceVersion(event.ResourceVersion)
	if event.InitialEventsEnd {
		mark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return mark
}
