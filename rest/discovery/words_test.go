package discovery

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Contract: a word means what it means to kubectl.
func TestWhatAWordMeans(t *testing.T) {
	m := NewMapper(newServer(true).start(t))
	for word, want := range map[string]string{
		// Plural, singular, short name; the first two in any case.
		"pods": "v1 pods", "pod": "v1 pods", "po": "v1 pods", "PODS": "v1 pods", "Pod": "v1 pods",
		"PO": "", "deploy": "apps/v1 deployments", "DEPLOYMENT": "apps/v1 deployments", "Deploy": "",
		// Core first; other groups by name, and by the beginning of it.
		"events": "v1 events", "ev": "v1 events", "events.events.k8s.io": "events.k8s.io/v1 events", "ev.events.k8s.io": "events.k8s.io/v1 events",
		"event.events": "events.k8s.io/v1 events", "ev.ev": "events.k8s.io/v1 events", "storageclass.storage": "storage.k8s.io/v1 storageclasses",
		"pods.metrics.k8s.io": "metrics.k8s.io/v1beta1 pods", "pods.metrics": "metrics.k8s.io/v1beta1 pods", "pods.other": "",
		// With a version, the group is exact, or not said.
		"deployments.v1.apps": "apps/v1 deployments", "deployments.v1beta1.apps": "apps/v1beta1 deployments", "deploy.v1beta1.apps": "apps/v1beta1 deployments",
		"deployments.v2.apps": "", "deployments.v1.app": "", "pods.v1.": "v1 pods", "widgets.v1.example.com": "example.com/v1 widgets", "pods.v1beta1.": "metrics.k8s.io/v1beta1 pods",
		// The preferred version of a group; but the group's place counts first.
		"widgets": "example.com/v2 widgets", "wd": "example.com/v2 widgets", "relics": "apps/v1beta1 relics", "relics.example.com": "example.com/v2 relics",
		// A full name wins over a short one.
		"sc": "example.com/v2 sc", "sc.storage.k8s.io": "storage.k8s.io/v1 storageclasses",
		// A short name of two: core's.
		"po.example.com": "example.com/v2 widgets",
		// A kind with its group, when it is none of these.
		"Human.example.com": "example.com/v2 people", "human.example.com": "example.com/v2 people", "Human.v2.example.com": "example.com/v2 people",
		"HUMAN.example.com": "", "Human": "", "human": "", "Human.example": "", "Human.v1.example.com": "",
		// A singular that is not said is the kind's.
		"podmetrics": "metrics.k8s.io/v1beta1 pods",
		// Not resources.
		"status": "", "": "", ".apps": "", "nonsense": "", "pods.": "v1 pods", "pods..": "v1 pods",
	} {
		found, err := m.ForResource(t.Context(), word)
		if want == "" {
			require.Error(t, err, word)
			require.Zero(t, found)
			continue
		}
		require.NoError(t, err, word)
		require.Equal(t, want, found.GroupVersion().String()+" "+found.Resource, word)
	}
	_, err := m.ForResource(t.Context(), "pods/status")
	require.EqualError(t, err, `look up the resource "pods/status": a subresource is not a resource; look up "pods"`)
	_, err = m.ForResource(t.Context(), strings.Repeat("x", 1<<20))
	require.Less(t, len(err.Error()), 1000)
}

func TestKinds(t *testing.T) {
	m := NewMapper(newServer(false).start(t))
	for gvk, want := range map[schema.GroupVersionKind]string{
		{Kind: "Pod"}:                                           "v1 pods",
		{Version: "v1", Kind: "Pod"}:                            "v1 pods",
		{Group: "apps", Kind: "Deployment"}:                     "apps/v1 deployments",
		{Group: "apps", Version: "v1beta1", Kind: "Deployment"}: "apps/v1beta1 deployments",
		{Group: "apps", Kind: "Relic"}:                          "apps/v1beta1 relics", // only there
		{Group: "example.com", Kind: "Human"}:                   "example.com/v2 people",
		// The group and the kind are meant as they are.
		{Kind: "Deployment"}: "", {Group: "app", Kind: "Deployment"}: "", {Kind: "pod"}: "", {Kind: "pods"}: "", {Kind: "po"}: "",
		{Group: "apps", Version: "v2", Kind: "Deployment"}: "",
		// A kind of subresources only.
		{Group: "autoscaling", Version: "v1", Kind: "Scale"}: "", {Group: "apps", Version: "v1", Kind: "Scale"}: "",
	} {
		found, err := m.ForKind(t.Context(), gvk)
		if want == "" {
			var noMatch *NoMatchError
			require.ErrorAs(t, err, &noMatch, "%v", gvk)
			continue
		}
		require.NoError(t, err, "%v", gvk)
		require.Equal(t, want, found.GroupVersion().String()+" "+found.Resource)
	}
	_, err := m.ForKind(t.Context(), schema.GroupVersionKind{Group: "apps"})
	require.EqualError(t, err, "look up a kind: it has no name")
	_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Group: "apps", Version: "v2", Kind: "Deployment"})
	require.EqualError(t, err, `the server has no kind "Deployment" in apps/v2`)
}

// Contract: a Resource says what the server says, and lists its subresources.
func TestWhatAResourceSays(t *testing.T) {
	for _, aggregated := range []bool{true, false} {
		m := NewMapper(newServer(aggregated).start(t))
		found, err := m.ForResource(t.Context(), "deploy")
		require.NoError(t, err)
		require.Equal(t, Resource{
			ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: "Deployment", Namespaced: true},
			SingularName: "deployment", ShortNames: []string{"deploy"}, Categories: []string{"all"}, Verbs: crud,
			Subresources: []Subresource{
				{"scale", schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, []string{"get"}},
				{"status", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, []string{"get"}},
			},
		}, found)

		// What is cached is not the caller's to change.
		found.Verbs[0], found.ShortNames[0], found.Subresources[0].Verbs[0] = "x", "x", "x"
		again, err := m.ForResource(t.Context(), "deploy")
		require.NoError(t, err)
		require.Equal(t, []any{"create", "deploy", "get"}, []any{again.Verbs[0], again.ShortNames[0], again.Subresources[0].Verbs[0]})

		all, err := m.Resources(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 15)
		require.Equal(t, "pods", all[0].Resource)
		metrics, err := m.ForResource(t.Context(), "pods.metrics.k8s.io")
		require.NoError(t, err)
		require.Equal(t, "podmetrics", metrics.SingularName, "which the server does not say")
		namespaces, err := m.ForResource(t.Context(), "ns")
		require.NoError(t, err)
		require.False(t, namespaces.Namespaced)
	}
}

// Contract: a miss says in which failed group versions it may be.
func TestAMissSaysWhereItMayBe(t *testing.T) {
	s := newServer(true)
	s.serves[5].versions[0].stale = true // metrics.k8s.io/v1beta1
	m := NewMapper(s.start(t))
	all, err := m.Resources(t.Context())
	require.ErrorIs(t, err, ErrStale)
	require.Len(t, all, 13)

	_, err = m.ForResource(t.Context(), "pods")
	require.NoError(t, err, "what is known is found")

	for word, maybe := range map[string]bool{"load": true, "load.metrics": true, "load.v1beta1.metrics.k8s.io": true, "load.v1.metrics.k8s.io": false, "load.apps": false, "load.v1beta1.metrics": false} {
		_, err = m.ForResource(t.Context(), word)
		var noMatch *NoMatchError
		require.ErrorAs(t, err, &noMatch)
		require.Equal(t, maybe, errors.Is(err, ErrStale), word)
		require.Equal(t, maybe, strings.Contains(err.Error(), "metrics.k8s.io/v1beta1"), word)
	}
	_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Group: "metrics.k8s.io", Kind: "Load"})
	require.ErrorIs(t, err, ErrStale)
	_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Kind: "Load"})
	require.NotErrorIs(t, err, ErrStale, "core is not in metrics.k8s.io")
}

// Whatever a word is, looking it up ends, and what is found has that name.
func FuzzWord(f *testing.F) {
	for _, seed := range []string{"pods", "po.", "deployments.v1.apps", "..", "a/b", "Pod.v1.", ".x", ""} {
		f.Add(seed)
	}
	all := &answers{resources: resourcesOf(f), failed: map[schema.GroupVersion]error{{Group: "x", Version: "v1"}: ErrStale}}
	for gv := range all.resources {
		all.addGroup(coreGroup([]string{gv.Version}))
		all.groups[len(all.groups)-1].Name = gv.Group
	}
	known := newCatalog(all)
	f.Fuzz(func(t *testing.T, word string) {
		q, err := ofWord(word)
		if err != nil {
			return
		}
		known.mayHide(q)
		if r := known.find(q); r != nil {
			name, _, _ := strings.Cut(word, ".")
			names := append([]string{r.Resource, r.SingularName, strings.ToLower(r.Kind)}, r.ShortNames...)
			require.Contains(t, names, strings.ToLower(name))
		}
	})
}
