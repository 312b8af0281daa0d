package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// The page of an informer of several namespaces has each of them with its own version
// and failure, as text, HTML and JSON, and does not show the version of one for all. The
// page of all informers has only their number.
func TestPageShowsNamespaces(t *testing.T) {
	forbidden := reflector.State{
		Name: "pods -n b", Phase: reflector.PhaseWaiting, Mode: reflector.ModeWatchList, Version: "7",
		Err: &reflector.Error{Name: "pods -n b", Verb: "watch", Reason: reflector.ReasonForbidden, Err: errors.New("no right <here>")}, Failures: 3,
	}
	recovering := forbidden
	recovering.Name, recovering.Phase, recovering.Recovering = "pods -n c", reflector.PhaseWatching, true
	state := informer.State{
		Name: "pods in several namespaces", Resource: podResource, Running: true, Synced: true, Version: "7", Objects: 3, Epoch: 1, Source: forbidden,
		Namespaces: []informer.NamespaceState{
			{Namespace: "b", Synced: true, Version: "7", Source: forbidden},
			{Namespace: "c", Synced: true, Version: "19", Source: recovering},
			{Namespace: "a", Synced: true, Version: "21", Epoch: 1, Source: reflector.State{Name: "pods -n a", Phase: reflector.PhaseWatching, Version: "21"}},
		},
		NamespaceCount: 203,
	}
	h := New(Options{Informers: func() []informer.AnyInformer { return []informer.AnyInformer{&fakeInformer{state: state}} }})
	get := func(query string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/debug/?"+query, nil))
		require.Equal(t, 200, w.Code)
		return w.Body.String()
	}
	const one = "informer=pods+in+several+namespaces&format="

	text := get(one + "text")
	require.Contains(t, text, `  store     3 objects of 203 namespaces, each at version "7" or later, epoch 1, 0 changes queued`)
	require.Contains(t, text, `  source    pods -n b: waiting by watch-list, version "7"`)
	require.Contains(t, text, "  namespace b: synced, waiting, version \"7\", epoch 0: watch pods -n b: no right <here>\n")
	require.Contains(t, text, "  namespace a: synced, watching, version \"21\", epoch 1\n  and 200 more namespaces\n")

	html := get(one + "html")
	require.Contains(t, html, `<caption>Namespaces, without 200 others<span`)
	require.Contains(t, html, "pods -n b: waiting at version 7")
	require.Contains(t, html, "3</b> objects of 203 namespaces, each at version &#34;7&#34; or later, epoch 1")
	require.Contains(t, html, `<th role="rowheader" scope="row">a</th><td role="cell" data-label="Synced">yes</td><td role="cell" data-label="Source">watching</td><td role="cell" data-label="Version">21</td>`)
	require.Contains(t, html, "no right &lt;here&gt;</td>")

	var answer struct{ Informer informerState }
	require.NoError(t, json.Unmarshal([]byte(get(one+"json")), &answer))
	require.Equal(t, 203, answer.Informer.NamespaceCount)
	require.Equal(t, "pods -n b", answer.Informer.Source.Name)
	require.Len(t, answer.Informer.Namespaces, 3)
	require.Equal(t, "21", answer.Informer.Namespaces[2].Version)
	require.Equal(t, reflector.PhaseWatching, answer.Informer.Namespaces[2].Source.Phase)

	for _, format := range []string{"json", "text", "html"} {
		all := get("format=" + format)
		require.Contains(t, all, "203")
		require.NotContains(t, strings.ToLower(all), "pods -n a", "an overview of many informers stays small")
	}
	state.Namespaces[1].Source.Recovering = false
	require.Contains(t, fmt.Sprint(problemsOf(state, now())), "2 of 203 namespaces fail, the first: watch pods -n b: ")
	state.Version = ""
	require.Contains(t, get(one+"text"), "no common version")
}

// Objects that are missing from one namespace are a problem, also if another namespace
// needs more attention.
func TestProblemOfMissingObjectsInOneNamespace(t *testing.T) {
	failing := reflector.State{Phase: reflector.PhaseWaiting, Err: errors.New("no")}
	missing := reflector.State{Phase: reflector.PhaseWatching, ListUndecodable: 2, ListErr: errors.New("cause")}
	s := informer.State{Running: true, Synced: true, Source: failing, Namespaces: []informer.NamespaceState{{Source: failing}, {Source: missing}}, NamespaceCount: 2}
	problems := problemsOf(s, now())
	require.Len(t, problems, 2)
	require.Contains(t, problems[1].Text, "2 objects of the list could not be decoded")
}

// A page is sent again when an object of any namespace has changed, also one that the
// lowest version does not show.
func TestConditionalRequestsOfNamespaces(t *testing.T) {
	inf := &fakeInformer{
		state: informer.State{
			Name: "pods", Running: true, Synced: true, Version: "7", NamespaceCount: 2,
			Namespaces: []informer.NamespaceState{{Namespace: "a", Version: "7"}, {Namespace: "b", Version: "8"}},
		},
		objects: map[string]any{"b/x": &Pod{}},
	}
	h := New(Options{Objects: true, Informers: func() []informer.AnyInformer { return []informer.AnyInformer{inf} }})
	for _, query := range []string{"informer=pods", "informer=pods&key=b/x"} {
		tag := getIf(h, query, "").Header().Get("ETag")
		require.Equal(t, 304, getIf(h, query, tag).Code, query)
		inf.state.Namespaces[1].Version += "0"
		require.Equal(t, 200, getIf(h, query, tag).Code, query)
		inf.state.NamespaceCount = 3
		require.Empty(t, getIf(h, query, "").Header().Get("ETag"), "not all versions are known")
		inf.state.NamespaceCount = 2
	}
}
