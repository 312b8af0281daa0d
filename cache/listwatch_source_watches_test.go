package cache

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/listwatch"
)

// manualWatch is a watch whose Stop may be called only once and does not close
// the channel.
type manualWatch struct {
	events chan watch.Event
	stops  int
}

func (w *manualWatch) ResultChan() <-chan watch.Event { return w.events }

func (w *manualWatch) Stop() { w.stops++ }

func openWatch(t *testing.T, ctx context.Context, expected any, events ...watch.Event) (*listwatch.Watch[any], *manualWatch) {
	t.Helper()
	own := &manualWatch{events: make(chan watch.Event, 100)}
	for _, event := range events {
		own.events <- event
	}
	source := sourceOf[any](funcSource{watch: func() (watch.Interface, error) { return own, nil }}, sourceOptions{Expected: expected})
	w, err := source.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	return w, own
}

func podWithVersion(version string) *pod {
	p := newPod("a")
	p.ResourceVersion = version
	return p
}

// Each call of Next returns an event, an error of one object, or the end.
// Invalid events do not panic, and the watch is stopped once.
func TestEventsOfDecodedWatch(t *testing.T) {
	mark := podWithVersion("9")
	mark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	w, own := openWatch(t, t.Context(), &pod{},
		watch.Event{Type: watch.Added, Object: podWithVersion("1")},
		watch.Event{Type: watch.Modified, Object: unstructuredPod("other")},
		watch.Event{Type: watch.Deleted},
		watch.Event{Type: watch.Added, Object: (*pod)(nil)},
		watch.Event{Type: watch.Deleted, Object: podWithVersion("2")},
		watch.Event{Type: watch.Bookmark, Object: mark},
	)
	next := func() (listwatch.Event[any], error) { return w.Next(t.Context()) }
	event, err := next()
	require.NoError(t, err)
	require.Equal(t, listwatch.Event[any]{Type: watch.Added, Object: event.Object, ResourceVersion: "1"}, event)
	for _, want := range []struct {
		typ  watch.EventType
		name string
	}{{watch.Modified, "other"}, {watch.Deleted, ""}, {watch.Added, ""}} {
		_, err = next()
		item, ok := err.(*listwatch.ItemError)
		require.True(t, ok, "%v", err)
		require.Equal(t, want.typ, item.Type)
		require.Equal(t, want.name, item.Name)
	}
	event, err = next()
	require.NoError(t, err)
	require.Equal(t, watch.Deleted, event.Type)
	event, err = next()
	require.NoError(t, err)
	require.Equal(t, listwatch.Event[any]{Type: watch.Bookmark, ResourceVersion: "9", InitialEventsEnd: true}, event)
	close(own.events)
	for range 2 {
		_, err = next()
		require.Equal(t, io.EOF, err)
	}
	w.Stop()
	w.Stop()
	require.Equal(t, 1, own.stops)
}

func TestWatchErrors(t *testing.T) {
	gone := &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired}
	undecodable := &metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "cannot decode", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: decoded.CauseUndecodable}}}}
	for name, c := range map[string]struct {
		event watch.Event
		check func(error) bool
	}{
		"ERROR with a Status":       {watch.Event{Type: watch.Error, Object: gone}, apierrors.IsResourceExpired},
		"ERROR with another object": {watch.Event{Type: watch.Error, Object: newPod("a")}, apierrors.IsInternalError},
		"ERROR without an object":   {watch.Event{Type: watch.Error}, apierrors.IsInternalError},
		"ERROR with a nil Status":   {watch.Event{Type: watch.Error, Object: (*metav1.Status)(nil)}, apierrors.IsInternalError},
		"decode error of the client": {watch.Event{Type: watch.Error, Object: undecodable}, func(err error) bool {
			var u interface{ Undecodable() bool }
			var status apierrors.APIStatus
			return errors.As(err, &u) && u.Undecodable() && !errors.As(err, &status)
		}},
		"bookmark without an object": {watch.Event{Type: watch.Bookmark}, func(err error) bool { return err != nil }},
		"bookmark with a nil object": {watch.Event{Type: watch.Bookmark, Object: (*pod)(nil)}, func(err error) bool { return err != nil }},
		"unknown type":               {watch.Event{Type: "RENAMED", Object: newPod("a")}, func(err error) bool { return err != nil }},
		"no type":                    {watch.Event{}, func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			w, own := openWatch(t, t.Context(), &pod{}, c.event, watch.Event{Type: watch.Added, Object: podWithVersion("1")})
			_, err := w.Next(t.Context())
			require.True(t, c.check(err), "%v", err)
			var item *listwatch.ItemError
			require.False(t, errors.As(err, &item), "the error ends the watch")
			_, again := w.Next(t.Context())
			require.Equal(t, err, again)
			require.Equal(t, 1, own.stops, "Stop is called after an error")
		})
	}
}

// Stop and both contexts end a waiting Next, even if the watch does not close
// its channel.
func TestWatchEndsWithStopAndContexts(t *testing.T) {
	for name, end := range map[string]func(w *listwatch.Watch[any], opener, next context.CancelFunc){
		"Stop":                 func(w *listwatch.Watch[any], _, _ context.CancelFunc) { w.Stop() },
		"context of the watch": func(_ *listwatch.Watch[any], opener, _ context.CancelFunc) { opener() },
		"context of Next":      func(_ *listwatch.Watch[any], _, next context.CancelFunc) { next() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opened, endOpened := context.WithCancel(t.Context())
				defer endOpened()
				waits, endWaits := context.WithCancel(t.Context())
				defer endWaits()
				w, own := openWatch(t, opened, nil)
				ended := make(chan error, 1)
				go func() {
					_, err := w.Next(waits)
					ended <- err
				}()
				synctest.Wait()
				end(w, endOpened, endWaits)
				err := <-ended
				if name == "Stop" {
					require.Equal(t, io.EOF, err)
				} else {
					require.ErrorIs(t, err, context.Canceled)
				}
				own.events <- watch.Event{Type: watch.Added, Object: podWithVersion("1")}
				_, err = w.Next(t.Context())
				require.Error(t, err, "Next after the end")
				synctest.Wait()
				require.Equal(t, 1, own.stops)
			})
		})
	}
}
