package watch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache/watch"
)

type object = metav1.PartialObjectMetadata

func at(version string) *object {
	return &object{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: version}}
}

// script answers the requests of a RetryWatcher: each time with the next step, and then
// with the last one.
type script struct {
	steps []step

	mu       sync.Mutex
	requests []metav1.ListOptions // guarded by mu
	times    []time.Duration      // since begun; guarded by mu
	streams  []*apiwatch.FakeWatcher
	begun    time.Time
}

// step is the response to a request: an error, or events and then the end of the watch.
type step struct {
	err    error
	events []apiwatch.Event
	stays  bool // the watch stays open after the events
	none   bool // neither a watch nor an error
}

func (s *script) WatchWithContext(_ context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.steps[min(len(s.requests), len(s.steps)-1)]
	s.requests = append(s.requests, options)
	s.times = append(s.times, time.Since(s.begun))
	if now.err != nil || now.none {
		return nil, now.err
	}
	stream := apiwatch.NewFakeWithChanSize(len(now.events), false)
	s.streams = append(s.streams, stream)
	for _, event := range now.events {
		stream.Action(event.Type, event.Object)
	}
	if !now.stays {
		stream.Stop()
	}
	return stream, nil
}

// Watch is for cache.Watcher.
func (s *script) Watch(options metav1.ListOptions) (apiwatch.Interface, error) {
	return s.WatchWithContext(context.Background(), options)
}

// trial runs a RetryWatcher from version 1 and returns its events until it ends, or until
// it has waited for a minute without one.
func (s *script) trial(t *testing.T) (events []apiwatch.Event, ended bool) {
	t.Helper()
	s.begun = time.Now()
	w, err := watch.NewRetryWatcherWithContext(t.Context(), "1", s)
	require.NoError(t, err)
	defer func() {
		w.Stop()
		<-w.Done()
		for _, stream := range s.streams {
			require.True(t, stream.IsStopped())
		}
	}()
	for {
		select {
		case event, ok := <-w.ResultChan():
			if !ok {
				<-w.Done()
				return events, true
			}
			events = append(events, event)
		case <-time.After(time.Minute):
			return events, false
		}
	}
}

func added(version string) apiwatch.Event {
	return apiwatch.Event{Type: apiwatch.Added, Object: at(version)}
}

func bookmark(version string) apiwatch.Event {
	return apiwatch.Event{Type: apiwatch.Bookmark, Object: at(version)}
}

func failure(status metav1.Status) apiwatch.Event {
	return apiwatch.Event{Type: apiwatch.Error, Object: &status}
}

var resource = schema.GroupResource{Resource: "pods"}

// A RetryWatcher resumes after the last event or bookmark, delivers each event once, and
// hides bookmarks.
func TestRetryWatcherResumes(t *testing.T) {
	for name, interruption := range map[string]step{
		"the watch ends":         {},
		"EOF":                    {err: io.EOF},
		"unexpected EOF":         {err: io.ErrUnexpectedEOF},
		"a wrapped EOF":          {err: fmt.Errorf("watch: %w", io.EOF)},
		"an unknown error":       {err: errors.New("refused")},
		"not found":              {err: apierrors.NewNotFound(resource, "")},
		"no watch":               {none: true},
		"an internal error":      {events: []apiwatch.Event{failure(apierrors.NewInternalError(errors.New("x")).ErrStatus)}},
		"a gateway timeout":      {events: []apiwatch.Event{failure(metav1.Status{Code: 504})}},
		"an unknown ERROR event": {events: []apiwatch.Event{{Type: apiwatch.Error, Object: at("")}}},
		"a nil ERROR event":      {events: []apiwatch.Event{{Type: apiwatch.Error}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: []step{
					{events: []apiwatch.Event{added("2"), {Type: apiwatch.Modified, Object: at("3")}}},
					interruption,
					{events: []apiwatch.Event{{Type: apiwatch.Deleted, Object: at("4")}, bookmark("9")}},
					{events: []apiwatch.Event{added("10")}, stays: true},
				}}
				events, ended := s.trial(t)
				require.False(t, ended)
				require.Equal(t, []apiwatch.Event{added("2"), {Type: apiwatch.Modified, Object: at("3")}, {Type: apiwatch.Deleted, Object: at("4")}, added("10")}, events)
				var versions []string
				for _, options := range s.requests {
					versions = append(versions, options.ResourceVersion)
					require.True(t, options.AllowWatchBookmarks)
				}
				require.Equal(t, []string{"1", "3", "3", "9"}, versions)
				require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}, s.times, "at most one request each second")
			})
		})
	}
}

// A watch that was open for longer than a second is repeated at once.
func TestRetryWatcherResumesAtOnceAfterALongWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{{stays: true}}}
		ctx, cancel := context.WithCancel(t.Context())
		w, err := watch.NewRetryWatcherWithContext(ctx, "1", s)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		synctest.Wait()
		s.streams[0].Stop()
		synctest.Wait()
		require.Len(t, s.requests, 2)
		cancel()
		<-w.Done()
	})
}

// A RetryWatcher ends with an ERROR event when a watch cannot succeed any more.
func TestRetryWatcherEndsWithAnError(t *testing.T) {
	for name, c := range map[string]struct {
		step step
		code int32
	}{
		"expired at the start":   {step{err: apierrors.NewResourceExpired("old")}, 410},
		"gone at the start":      {step{err: &apierrors.StatusError{ErrStatus: metav1.Status{Code: 410, Reason: metav1.StatusReasonGone}}}, 410},
		"forbidden":              {step{err: apierrors.NewForbidden(resource, "", nil)}, 403},
		"unauthorized":           {step{err: apierrors.NewUnauthorized("expired token")}, 401},
		"wrapped":                {step{err: fmt.Errorf("watch: %w", apierrors.NewForbidden(resource, "", nil))}, 403},
		"expired event":          {step{events: []apiwatch.Event{failure(apierrors.NewResourceExpired("old").ErrStatus)}}, 410},
		"an object without meta": {step{events: []apiwatch.Event{{Type: apiwatch.Added, Object: &runtime.Unknown{Raw: []byte("secret")}}}}, 500},
		"no object":              {step{events: []apiwatch.Event{{Type: apiwatch.Added}}}, 500},
		"no version":             {step{events: []apiwatch.Event{added("")}}, 500},
		"bookmark, no version":   {step{events: []apiwatch.Event{bookmark("")}}, 500},
		"unknown event type":     {step{events: []apiwatch.Event{{Type: "MOVED", Object: at("2")}}}, 500},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: []step{c.step, {stays: true}}}
				events, ended := s.trial(t)
				require.True(t, ended)
				require.Len(t, events, 1)
				require.Equal(t, apiwatch.Error, events[0].Type)
				require.Equal(t, c.code, events[0].Object.(*metav1.Status).Code)
				require.NotContains(t, events[0].Object.(*metav1.Status).Message, "secret")
				require.Len(t, s.requests, 1)
			})
		})
	}
}

// Retry-After: the next request waits that long, after an error and after an ERROR event.
func TestRetryWatcherWaitsForRetryAfter(t *testing.T) {
	busy := apierrors.NewTooManyRequests("busy", 7)
	for name, first := range map[string]step{
		"error": {err: busy}, "event": {events: []apiwatch.Event{failure(busy.ErrStatus)}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: []step{first, {stays: true}}}
				_, ended := s.trial(t)
				require.False(t, ended)
				require.Equal(t, []time.Duration{0, 7 * time.Second}, s.times)
			})
		})
	}
}

// Stop and the end of the context end the watch while an event waits for its reader, while
// a watch is open, and during a pause.
func TestRetryWatcherIsStopped(t *testing.T) {
	for name, first := range map[string]step{
		"an event waits": {events: []apiwatch.Event{added("2")}, stays: true},
		"open":           {stays: true},
		"pause":          {err: apierrors.NewTooManyRequests("busy", 3600)},
	} {
		for _, byContext := range []bool{true, false} {
			t.Run(fmt.Sprint(name, byContext), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					w, err := watch.NewRetryWatcherWithContext(ctx, "1", &script{steps: []step{first}})
					require.NoError(t, err)
					synctest.Wait()
					if byContext {
						cancel()
					} else {
						w.Stop()
						w.Stop()
					}
					<-w.Done()
					_, open := <-w.ResultChan()
					require.False(t, open)
				})
			})
		}
	}
}

func TestRetryWatcherNeedsAVersionAndASource(t *testing.T) {
	for _, version := range []string{"", "0"} {
		_, err := watch.NewRetryWatcherWithContext(t.Context(), version, &script{})
		require.ErrorContains(t, err, "cannot begin at the resource version")
		_, err = watch.Until(t.Context(), version, &script{})
		require.ErrorContains(t, err, "cannot begin at the resource version")
	}
	_, err := watch.NewRetryWatcherWithContext(t.Context(), "1", nil)
	require.ErrorContains(t, err, "source of the RetryWatcher is nil")
	_, err = watch.NewRetryWatcher("1", nil)
	require.ErrorContains(t, err, "source of the RetryWatcher is nil")
}
