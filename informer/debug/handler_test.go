package debug

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// fakeInformer is an informer with a fixed state.
type fakeInformer struct {
	state   informer.State
	objects map[string]any
}

func (s *fakeInformer) State() informer.State { return s.state }

func (s *fakeInformer) Keys() iter.Seq[string] { return maps.Keys(s.objects) }

func (s *fakeInformer) Object(key string) (any, bool) {
	obj, ok := s.objects[key]
	return obj, ok
}

// Pod has the fields of a pod that the tests need.
type Pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              map[string]any `json:"spec,omitempty"`
}

// Secret has the fields of a Secret of k8s.io/api.
type Secret struct {
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string][]byte `json:"data,omitempty"`
	Type              string            `json:"type,omitempty"`
}

var (
	podResource    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	secretResource = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// informerSets are the informers of the transcripts.
var informerSets = map[string]func() []informer.AnyInformer{
	"empty": func() []informer.AnyInformer { return nil },
	"fleet": fleet,
	"hostile": func() []informer.AnyInformer {
		evil := "<script>alert('x')</script>\x1b[31m\u202e\xff\n"
		return []informer.AnyInformer{
			(*fakeInformer)(nil), nil,
			&fakeInformer{state: informer.State{Name: evil, Source: reflector.State{Err: errors.New(evil), ModeReason: evil}},
				objects: map[string]any{evil: &Pod{ObjectMeta: metav1.ObjectMeta{Name: evil}}}},
			&fakeInformer{state: informer.State{Name: evil}},
			&fakeInformer{},
		}
	},
}

func fleet() []informer.AnyInformer {
	now := time.Now()
	pods := &fakeInformer{
		state: informer.State{
			Name: "pods", Resource: podResource, Running: true, Synced: true, Version: "120", Objects: 3,
			Source: reflector.State{
				Phase: reflector.PhaseWatching, Mode: reflector.ModeWatchList, Version: "120",
				LastEvent: now.Add(-1500 * time.Millisecond), LastBookmark: now.Add(-time.Minute),
			},
			Handlers: []informer.HandlerState{
				{Name: "audit", Synced: true},
				{Name: "slow", Pending: 1024, Merged: 7, Panics: 1, Since: now.Add(-90 * time.Second)},
			},
		},
		objects: map[string]any{
			"default/web-0": &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-0", ResourceVersion: "120"}, Spec: map[string]any{"nodeName": "<a&b>", "weight": 12345678901234567}},
			"default/web-1": &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-1"}},
			"kube-system/x": &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "x"}},
		},
	}
	secrets := &fakeInformer{
		state: informer.State{
			Name: "secrets", Resource: secretResource, Running: true, Epoch: 1, Queued: 4,
			Source: reflector.State{
				Phase: reflector.PhaseWaiting, Mode: reflector.ModeList, ModeReason: "the server does not stream", Epoch: 1,
				Relists: 2, RelistReason: "the version has expired", Undecodable: 3,
				Err: errors.New("list secrets: forbidden"), Since: now.Add(-time.Hour), Failures: 12, RetryAt: now.Add(20 * time.Second),
			},
		},
		objects: map[string]any{"default/token": &Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "token", Annotations: map[string]string{"copy": "hunter2"}, Labels: map[string]string{"app": "web"}},
			Data:       map[string][]byte{"password": []byte("hunter2")}, Type: "Opaque",
		}},
	}
	second := &fakeInformer{state: informer.State{Name: "pods", Resource: podResource}}
	return []informer.AnyInformer{pods, secrets, second}
}

// newFilledTimeline returns a timeline with some events.
func newFilledTimeline() *Timeline {
	tl := NewTimeline(TimelineOptions{Events: 2})
	tr := tl.Trace()
	for _, step := range []struct {
		at                           func(informer.TraceInfo)
		handler, key, version, event string
	}{
		{tr.Stored, "", "default/web-0", "100", "add"},
		{tr.Called, "audit", "default/web-0", "100", "add"},
		{tr.Returned, "audit", "default/web-0", "100", "add"},
		{tr.Received, "", "default/web-0", "120", "MODIFIED"},
		{tr.Stored, "", "default/web-0", "120", "update"},
		{tr.Called, "audit", "default/web-0", "120", "update"},
		{tr.Merged, "slow", "default/web-0", "120", "update"},
		{tr.Returned, "audit", "default/web-0", "120", "update"},
		{tr.Received, "", "default/gone", "121", "DELETED"},
	} {
		time.Sleep(1500 * time.Microsecond)
		step.at(informer.TraceInfo{Informer: "pods", Handler: step.handler, Key: step.key, Version: step.version, Event: step.event})
	}
	return tl
}

// TestTranscripts runs the files in testdata: the input is a request, the output the
// answer. With -rewrite it updates the files.
//
//	serve INFORMERS [objects] [redact] [timeline]
//	METHOD QUERY [accept=TYPE]
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/transcripts", func(t *testing.T, path string) {
		var served *datadriven.TestData
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) (out string) {
			if d.Cmd == "serve" {
				copied := *d
				served = &copied
				return ""
			}
			// A bubble for each request, so that all have the same time.
			synctest.Test(t, func(t *testing.T) { out = request(t, served, d) })
			return out
		})
	})
}

func request(t *testing.T, served, d *datadriven.TestData) string {
	options := Options{Objects: served.HasArg("objects")}
	if served.HasArg("timeline") {
		options.Timeline = newFilledTimeline()
	}
	options.Informers = informerSets[served.CmdArgs[0].Key]
	if served.HasArg("redact") {
		options.Redact = func(of schema.GroupVersionResource, object map[string]any) {
			delete(object["spec"].(map[string]any), "nodeName") // panics where there is no spec
		}
	}
	require.NotNil(t, options.Informers)
	r := httptest.NewRequest(strings.ToUpper(d.Cmd), "/debug/informers/?"+strings.TrimSpace(d.Input), nil)
	for _, arg := range d.CmdArgs {
		if arg.Key == "accept" {
			r.Header.Set("Accept", strings.Join(arg.Vals, ", "))
		}
	}
	w := httptest.NewRecorder()
	h := New(options)
	h.assets = "0"
	h.ServeHTTP(w, r)
	allow := ""
	if a := w.Header().Get("Allow"); a != "" {
		allow = " allow " + a
	}
	return fmt.Sprintf("%d %s%s\n%s", w.Code, w.Header().Get("Content-Type"), allow, w.Body)
}

// The headers forbid caching, framing, content sniffing and scripts.
func TestSecurityHeaders(t *testing.T) {
	for _, query := range []string{"", "informer=missing", "limit=x", "informer=pods"} {
		w := httptest.NewRecorder()
		New(Options{Informers: fleet}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?"+query, nil))
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"), query)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), query)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'", query)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'", query)
		require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), query)
	}
}

// Without Options.Objects the page shows only keys of objects.
func TestOnlyKeysAreShownWithoutObjects(t *testing.T) {
	for _, query := range []string{"", "informer=secrets", "informer=secrets&objects=true", "informer=secrets&key=default/token", "informer=secrets&objects=true&format=json"} {
		w := httptest.NewRecorder()
		h := New(Options{Informers: fleet, Redact: func(schema.GroupVersionResource, map[string]any) { t.Error("Redact was called") }})
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?"+query, nil))
		for _, text := range []string{"hunter2", "aHVudGVyMg", "password", "Opaque", "web"} {
			require.NotContains(t, w.Body.String(), text, query)
		}
	}
}

// A page of objects has a maximal size and a continue value. All pages together contain
// all objects.
func TestPageSizeIsBounded(t *testing.T) {
	const each, n = 1 << 20, 11
	large := &fakeInformer{state: informer.State{Name: "pods", Resource: podResource}, objects: map[string]any{}}
	for i := range n {
		large.objects[fmt.Sprintf("k%02d", i)] = &Pod{Spec: map[string]any{"x": strings.Repeat("x", each)}}
	}
	h := New(Options{Objects: true})
	e := entry{id: "pods", state: large.state, informer: large}
	var keys []string
	for after, pages := "", 1; ; pages++ {
		page := h.listing(e, query{limit: 1000, objects: true, after: after}, &objectBudget{all: &h.held}).(*listing)
		shown := 0
		for o := range page.objects {
			require.Empty(t, o.Hidden)
			shown++
		}
		require.Equal(t, shown, len(page.Keys))
		require.LessOrEqual(t, len(page.Keys), maxObjects/each+1)
		keys = append(keys, page.Keys...)
		if after = page.Continue; after == "" {
			require.Equal(t, 3, pages)
			break
		}
	}
	require.Len(t, keys, n)
}
