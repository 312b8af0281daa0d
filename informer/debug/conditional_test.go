package debug

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// watchedInformer counts how often its keys and objects are read.
type watchedInformer struct {
	fakeInformer
	keys, reads int
}

func (s *watchedInformer) Keys() iter.Seq[string] { s.keys++; return s.fakeInformer.Keys() }

func (s *watchedInformer) Object(key string) (any, bool) {
	s.reads++
	return s.fakeInformer.Object(key)
}

// countedObject counts how often it is encoded.
type countedObject struct{ encoded *int }

func (o countedObject) MarshalJSON() ([]byte, error) { *o.encoded++; return []byte(`{}`), nil }

func getIf(h http.Handler, query, tag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/?"+query, nil)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// The answer to a conditional request is empty while nothing has changed, and neither
// keys nor objects are read for it.
func TestConditionalRequests(t *testing.T) {
	encoded := 0
	pods := &watchedInformer{fakeInformer: fakeInformer{
		state:   informer.State{Name: "pods", Running: true, Synced: true, Version: "1"},
		objects: map[string]any{"a": countedObject{&encoded}},
	}}
	lines := []string{"state  running"}
	timeline := NewTimeline(TimelineOptions{})
	h := New(Options{Objects: true, Timeline: timeline, Informers: func() []informer.AnyInformer { return []informer.AnyInformer{pods} },
		Sections: func() []Section { return []Section{{Title: "program", Lines: lines, Problems: []Problem{}}} }})
	for _, query := range []string{"", "informer=pods", "informer=pods&key=a"} {
		tag := getIf(h, query, "").Header().Get("ETag")
		require.Regexp(t, `^W/"[0-9a-f]+"$`, tag, query)
		keys := pods.keys
		encodedBefore := encoded
		for range 3 {
			w := getIf(h, query, tag)
			require.Equal(t, http.StatusNotModified, w.Code, query)
			require.Zero(t, w.Body.Len(), query)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"), query)
		}
		require.Equal(t, keys, pods.keys, query)
		require.Equal(t, encodedBefore, encoded, query)
	}
	// Each change of what a page shows changes its tag.
	for name, change := range map[string]func(){
		"version":  func() { pods.state.Version = "2" },
		"queued":   func() { pods.state.Queued++ },
		"event":    func() { pods.state.Source.LastEvent = time.Now() },
		"handlers": func() { pods.state.Handlers = []informer.HandlerState{{Name: "audit"}} },
		"behind":   func() { pods.state.Handlers[0].Pending, pods.state.Handlers[0].Since = 1, time.Now().Add(-time.Hour) },
		"failure":  func() { pods.state.Source.Err = context.Canceled },
		"stopped":  func() { pods.state.Stopped = true },
	} {
		for _, query := range []string{"", "informer=pods", "informer=pods&key=a"} {
			pods.state = informer.State{Name: "pods", Running: true, Synced: true, Version: "1", Handlers: []informer.HandlerState{{}}}
			tag := getIf(h, query, "").Header().Get("ETag")
			change()
			w := getIf(h, query, tag)
			require.Equal(t, http.StatusOK, w.Code, "%s: %s", name, query)
			require.NotEqual(t, tag, w.Header().Get("ETag"), "%s: %s", name, query)
		}
	}
	tag := getIf(h, "", "").Header().Get("ETag")
	lines = []string{"state  stopping"}
	require.Equal(t, http.StatusOK, getIf(h, "", tag).Code)
	tag = getIf(h, "informer=pods&key=a", "").Header().Get("ETag")
	timeline.Trace().Stored(informer.TraceInfo{Informer: "pods", Key: "a", Version: "1", Event: "add"})
	require.Equal(t, http.StatusOK, getIf(h, "informer=pods&key=a", tag).Code)
	// An earlier process had the same state.
	later := New(h.options)
	later.started = h.started.Add(1)
	require.Equal(t, http.StatusOK, getIf(later, "", getIf(h, "", "").Header().Get("ETag")).Code)
}

// Text, JSON, errors and pages with objects are always complete: their answers are the
// same with and without the header.
func TestOnlyLivePagesAreConditional(t *testing.T) {
	h := New(newLargeStore(1, 10))
	for _, query := range []string{"format=text", "format=json", "informer=pods&format=json", "informer=none", "informer=pods&key=none", "informer=pods&objects=true", "limit=x"} {
		w := getIf(h, query, "*")
		require.NotEqual(t, http.StatusNotModified, w.Code, query)
		require.Empty(t, w.Header().Get("ETag"), query)
		require.NotContains(t, w.Body.String(), "data-live", query)
	}
	require.Contains(t, getIf(h, "", "").Body.String(), "data-live")
}

// A page that is open does not delay Shutdown: it holds no request.
func TestOpenPageDoesNotDelayShutdown(t *testing.T) {
	server := httptest.NewServer(New(Options{Informers: fleet}))
	defer server.Close()
	for range 20 {
		r, err := http.NewRequest(http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		r.Header.Set("Accept", "text/html")
		answer, err := server.Client().Do(r)
		require.NoError(t, err)
		require.NotEmpty(t, answer.Header.Get("ETag"))
		answer.Body.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, server.Config.Shutdown(ctx))
}

// An unchanged page costs the server little.
func BenchmarkUnchangedOverview(b *testing.B) {
	informers := fleet()
	h := New(Options{Informers: func() []informer.AnyInformer { return informers }})
	tag := getIf(h, "", "").Header().Get("ETag")
	if code := getIf(h, "", tag).Code; code != http.StatusNotModified {
		b.Fatal(code)
	}
	b.ReportAllocs()
	for b.Loop() {
		getIf(h, "", tag)
	}
}
