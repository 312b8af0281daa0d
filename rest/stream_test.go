package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/rest"
)

func cancelCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	return ctx, cancel
}

// silent serves the frames and then nothing, until the client goes.
func silent(t *testing.T, frames string) *fakeAPI {
	return serve(t, func(w http.ResponseWriter, r *http.Request, _ sent) {
		io.WriteString(w, frames)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

func TestWatchDeliversEvents(t *testing.T) {
	api := answering(t, `{"type":"ADDED","object":`+widgetJSON("a", "5", "")+`}
{"object":`+widgetJSON("a", "6", `,"spec":{"size":2}`)+`,"type":"MODIFIED"}
{"type":"MODIFIED","object":`+widgetJSON("b", "7", `,"spec":{"size":"big"}`)+`}
{"type":"BOOKMARK","object":{"kind":"Widget","metadata":{"resourceVersion":"8","annotations":{"k8s.io/initial-events-end":"true"}}}}
{"type":"DELETED","object":`+widgetJSON("a", "9", "")+`}
{"type":"ERROR","object":`+statusJSON(410, metav1.StatusReasonExpired)+`}
`)
	w, err := rest.NewView[*Widget](api.client, widgets).Namespace("ns").Watch(t.Context(), metav1.ListOptions{
		ResourceVersion: "4", AllowWatchBookmarks: true, FieldSelector: "x=y",
	})
	require.NoError(t, err)
	defer w.Stop()
	require.Equal(t, "GET /apis/example.com/v1/namespaces/ns/widgets?allowWatchBookmarks=true&fieldSelector=x%3Dy&resourceVersion=4&watch=true", api.last(t).String())

	next := func() (rest.Event[*Widget], error) { return w.Next(t.Context()) }
	e, err := next()
	require.NoError(t, err)
	require.Equal(t, watch.Added, e.Type)
	require.Equal(t, "a", e.Object.Name)
	require.Equal(t, "5", e.ResourceVersion)
	require.Nil(t, e.Object.ManagedFields)
	e, err = next()
	require.NoError(t, err)
	require.Equal(t, watch.Modified, e.Type)
	require.Equal(t, 2, e.Object.Spec.Size)
	_, err = next()
	var itemError *rest.ItemError
	require.ErrorAs(t, err, &itemError)
	require.Equal(t, "b", itemError.Name)
	require.Equal(t, watch.Modified, itemError.Type)
	e, err = next()
	require.NoError(t, err)
	require.Equal(t, rest.Event[*Widget]{Type: watch.Bookmark, ResourceVersion: "8", InitialEventsEnd: true}, e)
	e, err = next()
	require.NoError(t, err)
	require.Equal(t, watch.Deleted, e.Type)
	_, err = next()
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)
	_, err = next()
	require.True(t, apierrors.IsResourceExpired(err), "and so it stays: %v", err)
}

func TestStopEndsAWaitingNext(t *testing.T) {
	api := silent(t, "")
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	ended := make(chan error)
	go func() { _, err := w.Next(t.Context()); ended <- err }()
	w.Stop()
	require.Equal(t, io.EOF, <-ended, "a watch that was stopped has ended")
	w.Stop()
	_, err = w.Next(t.Context())
	require.Equal(t, io.EOF, err)
	<-api.gone
}

func TestWatchEndsWithTheContextItWasOpenedWith(t *testing.T) {
	api := silent(t, "")
	ctx, cancel := cancelCause(t)
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	reason := errors.New("the user has left")
	ended := make(chan error)
	go func() { _, err := w.Next(ctx); ended <- err }()
	cancel(reason)
	err = <-ended
	require.ErrorIs(t, err, reason)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "watch widgets.example.com")
	<-api.gone
}

// When the context of Next ends, Next returns its error and the watch is over.
func TestNextEndsWithItsOwnContext(t *testing.T) {
	api := silent(t, `{"type":"ADDED","object":`+widgetJSON("a", "5", "")+`}`)
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	ctx, cancel := cancelCause(t)
	e, err := w.Next(ctx)
	require.NoError(t, err, "a frame is there as soon as its last brace is")
	require.Equal(t, "a", e.Object.Name)
	reason := errors.New("no patience")
	ended := make(chan error)
	go func() { _, err := w.Next(ctx); ended <- err }()
	cancel(reason)
	require.ErrorIs(t, <-ended, reason)
	<-api.gone
	_, err = w.Next(t.Context())
	require.ErrorIs(t, err, reason, "the watch is over")
}

func TestNextEndsWithItsOwnDeadline(t *testing.T) {
	api := silent(t, "")
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = w.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, context.Canceled, "nobody has cancelled anything")
	<-api.gone
}

// A watch that has ended holds no connection, whether it is stopped or not.
func TestEndedWatchHoldsNothing(t *testing.T) {
	for _, last := range []string{
		`{"type":"ERROR","object":` + statusJSON(410, metav1.StatusReasonExpired) + `}`,
		`{"type":"ADDED","object":}`,
		`{"type":"NONSENSE","object":{}}`,
	} {
		api := silent(t, last)
		w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		_, first := w.Next(t.Context())
		require.Error(t, first)
		<-api.gone
		_, err = w.Next(t.Context())
		require.Equal(t, first, err, "the end stays what it was")
		w.Stop()
	}
}

// The context that the watch was opened with costs nothing for each event.
func TestNextWithTheOpeningContextAllocatesNothingMore(t *testing.T) {
	frame := `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}`
	api := silent(t, strings.Repeat(frame, 1000))
	ctx, cancel := cancelCause(t)
	defer cancel(nil)
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	next := func(ctx context.Context) float64 {
		return testing.AllocsPerRun(200, func() {
			_, err := w.Next(ctx)
			require.NoError(t, err)
		})
	}
	require.Equal(t, next(context.Background()), next(ctx))
}

// Stop may be called from any goroutine at any time: nothing is read after the
// scratch has been given back, which the race detector would see.
func TestStopAndNextRace(t *testing.T) {
	frame := `{"type":"ADDED","object":` + widgetJSON("a", "5", "") + `}`
	api := serve(t, func(w http.ResponseWriter, r *http.Request, _ sent) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, frame); err != nil {
				return
			}
		}
	})
	view := rest.NewView[*Widget](api.client, widgets)
	for range 20 {
		w, err := view.Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		read := make(chan struct{}, 1000)
		ended := make(chan error)
		go func() {
			for {
				if _, err := w.Next(t.Context()); err != nil {
					ended <- err
					return
				}
				select {
				case read <- struct{}{}:
				default:
				}
			}
		}()
		<-read
		w.Stop()
		require.Equal(t, io.EOF, <-ended)
		<-api.gone
	}
}

// A 200 that carries a failure is that failure, on a watch as well.
func TestWatchThatIsAStatus(t *testing.T) {
	api := answering(t, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Expired","code":410}`)
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	_, err = w.Next(t.Context())
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)
	require.NotEmpty(t, err.Error())
}

func TestWatchThatIsAStatusInProtobuf(t *testing.T) {
	raw, err := (&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: 410}).Marshal()
	require.NoError(t, err)
	for kind, expired := range map[string]bool{"Status": true, "Pod": false} {
		envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
		body, err := envelope.Marshal()
		require.NoError(t, err)
		api := serve(t, func(w http.ResponseWriter, r *http.Request, _ sent) {
			w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch")
			io.WriteString(w, "k8s\x00")
			http.NewResponseController(w).Flush()
			w.Write(body)
		})
		w, err := rest.NewView[*protoWidget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		_, err = w.Next(t.Context())
		require.Error(t, err)
		require.Equal(t, expired, apierrors.IsResourceExpired(err), "%v", err)
	}
}
