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

// serveThenBlock serves the frames and then nothing until the client hangs up.
func serveThenBlock(t *testing.T, frames string) *fakeAPI {
	return serve(t, func(w http.ResponseWriter, r *http.Request, _ receivedRequest) {
		io.WriteString(w, frames)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

func TestWatchDeliversEvents(t *testing.T) {
	api := serveBodies(t, `{"type":"ADDED","object":`+widgetJSON("a", "5", "")+`}
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
	require.True(t, apierrors.IsResourceExpired(err), "the error is permanent: %v", err)
}

func TestStopEndsAWaitingNext(t *testing.T) {
	api := serveThenBlock(t, "")
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	ended := make(chan error)
	go func() { _, err := w.Next(t.Context()); ended <- err }()
	w.Stop()
	require.Equal(t, io.EOF, <-ended, "a stopped watch has ended")
	w.Stop()
	_, err = w.Next(t.Context())
	require.Equal(t, io.EOF, err)
	<-api.ended
}

func TestWatchEndsWithTheContextItWasOpenedWith(t *testing.T) {
	api := serveThenBlock(t, "")
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
	<-api.ended
}

// When the context of Next ends, Next returns its error and the watch is over.
func TestNextEndsWithItsOwnContext(t *testing.T) {
	api := serveThenBlock(t, `{"type":"ADDED","object":`+widgetJSON("a", "5", "")+`}`)
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	ctx, cancel := cancelCause(t)
	e, err := w.Next(ctx)
	require.NoError(t, err, "a frame is complete with its last brace")
	require.Equal(t, "a", e.Object.Name)
	reason := errors.New("canceled by the test")
	ended := make(chan error)
	go func() { _, err := w.Next(ctx); ended <- err }()
	cancel(reason)
	require.ErrorIs(t, <-ended, reason)
	<-api.ended
	_, err = w.Next(t.Context())
	require.ErrorIs(t, err, reason, "the watch is over")
}

func TestNextEndsWithItsOwnDeadline(t *testing.T) {
	api := serveThenBlock(t, "")
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = w.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, context.Canceled, "the context was not cancelled")
	<-api.ended
}

// A watch that has ended holds no connection, also without Stop.
func TestAnEndedWatchHoldsNoConnection(t *testing.T) {
	for _, last := range []string{
		`{"type":"ERROR","object":` + statusJSON(410, metav1.StatusReasonExpired) + `}`,
		`{"type":"ADDED","object":}`,
		`{"type":"NONSENSE","object":{}}`,
	} {
		api := serveThenBlock(t, last)
		w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		_, first := w.Next(t.Context())
		require.Error(t, first)
		<-api.ended
		_, err = w.Next(t.Context())
		require.Equal(t, first, err, "the end of a watch is permanent")
		w.Stop()
	}
}

// Next allocates nothing for the context of the watch.
func TestNextWithTheContextOfTheWatchAllocatesNothing(t *testing.T) {
	frame := `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}`
	api := serveThenBlock(t, strings.Repeat(frame, 1000))
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

// Stop may be called from any goroutine at any time. Nothing is read after the scratch
// buffer has been returned to its pool; the race detector would report it.
func TestStopAndNextRace(t *testing.T) {
	frame := `{"type":"ADDED","object":` + widgetJSON("a", "5", "") + `}`
	api := serve(t, func(w http.ResponseWriter, r *http.Request, _ receivedRequest) {
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
		<-api.ended
	}
}

// A failure Status in a 200 response to a watch is that error.
func TestAWatchWithAFailureStatus(t *testing.T) {
	api := serveBodies(t, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Expired","code":410}`)
	w, err := rest.NewView[*Widget](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	_, err = w.Next(t.Context())
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)
	require.NotEmpty(t, err.Error())
}

func TestAWatchWithAFailureStatusInProtobuf(t *testing.T) {
	raw, err := (&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: 410}).Marshal()
	require.NoError(t, err)
	for kind, expired := range map[string]bool{"Status": true, "Pod": false} {
		envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
		body, err := envelope.Marshal()
		require.NoError(t, err)
		api := serve(t, func(w http.ResponseWriter, r *http.Request, _ receivedRequest) {
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
