package discovery

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Contract: ForResource resolves names as kubectl does.
func TestForResource(t *testing.T) {
	m := NewMapper(newServer(true).startHTTP(t))
	for name, want := range map[string]string{
		// Plural, singular, short name; the first two in any case.
		"pods": "v1 pods", "pod": "v1 pods", "po": "v1 pods", "PODS": "v1 pods", "Pod": "v1 pods",
		"PO": "", "deploy": "apps/v1 deployments", "DEPLOYMENT": "apps/v1 deployments", "Deploy": "",
		// The core group first; other groups by name or by a prefix of it.
		"events": "v1 events", "ev": "v1 events", "events.events.k8s.io": "events.k8s.io/v1 events", "ev.events.k8s.io": "events.k8s.io/v1 events",
		"event.events": "events.k8s.io/v1 events", "ev.ev": "events.k8s.io/v1 events", "storageclass.storage": "storage.k8s.io/v1 storageclasses",
		"pods.metrics.k8s.io": "metrics.k8s.io/v1beta1 pods", "pods.metrics": "metrics.k8s.io/v1beta1 pods", "pods.other": "",
		// With a version, the group is exact or omitted.
		"deployments.v1.apps": "apps/v1 deployments", "deployments.v1beta1.apps": "apps/v1beta1 deployments", "deploy.v1beta1.apps": "apps/v1beta1 deployments",
		"deployments.v2.apps": "", "deployments.v1.app": "", "pods.v1.": "v1 pods", "widgets.v1.example.com": "example.com/v1 widgets", "pods.v1beta1.": "metrics.k8s.io/v1beta1 pods",
		// The preferred version of a group; the order of the groups takes precedence.
		"widgets": "example.com/v2 widgets", "wd": "example.com/v2 widgets", "relics": "apps/v1beta1 relics", "relics.example.com": "example.com/v2 relics",
		// A plural takes precedence over a short name.
		"sc": "example.com/v2 sc", "sc.storage.k8s.io": "storage.k8s.io/v1 storageclasses",
		// A short name of two resources: that of the core group.
		"po.example.com": "example.com/v2 widgets",
		// A kind with its group, if no name matches.
		"Human.example.com": "example.com/v2 people", "human.example.com": "example.com/v2 people", "Human.v2.example.com": "example.com/v2 people",
		"HUMAN.example.com": "", "Human": "", "human": "", "Human.example": "", "Human.v1.example.com": "",
		// Without a singular name, the lower-case kind.
		"podmetrics": "metrics.k8s.io/v1beta1 pods",
		// No resources.
		"status": "", "": "", ".apps": "", "nonsense": "", "pods.": "v1 pods", "pods..": "v1 pods",
	} {
		found, err := m.ForResource(t.Context(), name)
		if want == "" {
			require.Error(t, err, name)
			require.Zero(t, found)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, want, found.GroupVersion().String()+" "+found.Resource, name)
	}
	_, err := m.ForResource(t.Context(), "pods/status")
	require.EqualError(t, err, `look up the resource "pods/status": a subresource is not a resource; look up "pods"`)
	_, err = m.ForResource(t.Context(), strings.Repeat("x", 1<<20))
	require.Less(t, len(err.Error()), 1000)
}

func TestForKind(t *testing.T) {
	m := NewMapper(newServer(false).startHTTP(t))
	for gvk, want := range map[schema.GroupVersionKind]string{
		{Kind: "Pod"}:                                           "v1 pods",
		{Version: "v1", Kind: "Pod"}:                            "v1 pods",
		{Group: "apps", Kind: "Deployment"}:                     "apps/v1 deployments",
		{Group: "apps", Version: "v1beta1", Kind: "Deployment"}: "apps/v1beta1 deployments",
		{Group: "apps", Kind: "Relic"}:                          "apps/v1beta1 relics", // only in v1beta1
		{Group: "example.com", Kind: "Human"}:                   "example.com/v2 people",
		// The group and the kind must match exactly.
		{Kind: "Deployment"}: "", {Group: "app", Kind: "Deployment"}: "", {Kind: "pod"}: "", {Kind: "pods"}: "", {Kind: "po"}: "",
		{Group: "apps", Version: "v2", Kind: "Deployment"}: "",
		// A kind that only subresources have.
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
	require.EqualError(t, err, "look up a kind: the kind is empty")
	_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Group: "apps", Version: "v2", Kind: "Deployment"})
	require.EqualError(t, err, `the server has no kind "Deployment" in apps/v2`)
}

// Contract: a Resource has the fields that the server reports, and lists its
// subresources.
func TestFieldsOfAResource(t *testing.T) {
	for _, aggregated := range []bool{true, false} {
		m := NewMapper(newServer(aggregated).startHTTP(t))
		found, err := m.ForResource(t.Context(), "deploy")
		require.NoError(t, err)
		require.Equal(t, Resource{
			ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: "Deployment", Namespaced: true},
			SingularName: "deployment", ShortNames: []string{"deploy"}, Categories: []string{"all"}, Verbs: testVerbs,
			Subresources: []Subresource{
				{"scale", schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, []string{"get"}},
				{"status", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, []string{"get"}},
			},
		}, found)

		// A caller cannot change the cache.
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
		require.Equal(t, "podmetrics", metrics.SingularName, "derived from the kind")
		namespaces, err := m.ForResource(t.Context(), "ns")
		require.NoError(t, err)
		require.False(t, namespaces.Namespaced)
	}
}

// Contract: a NoMatchError holds the failed group versions that may contain the
// resource.
func TestAMissReportsFailedGroupVersionsThatMayMatch(t *testing.T) {
	s := newServer(true)
	s.groups[5].versions[0].stale = true // metrics.k8s.io/v1beta1
	m := NewMapper(s.startHTTP(t))
	all, err := m.Resources(t.Context())
	require.ErrorIs(t, err, ErrStale)
	require.Len(t, all, 13)

	_, err = m.ForResource(t.Context(), "pods")
	require.NoError(t, err, "a discovered resource is found")

	for name, mayMatch := range map[string]bool{"load": true, "load.metrics": true, "load.v1beta1.metrics.k8s.io": true, "load.v1.metrics.k8s.io": false, "load.apps": false, "load.v1beta1.metrics": false} {
		_, err = m.ForResource(t.Context(), name)
		var noMatch *NoMatchError
		require.ErrorAs(t, err, &noMatch)
		require.Equal(t, mayMatch, errors.Is(err, ErrStale), name)
		require.Equal(t, mayMatch, strings.Contains(err.Error(), "metrics.k8s.io/v1beta1"), name)
	}
	_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Group: "metrics.k8s.io", Kind: "Load"})
	require.ErrorIs(t, err, ErrStale)
	_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Kind: "Load"})
	require.NotErrorIs(t, err, ErrStale, "the core group is not metrics.k8s.io")
}

// A lookup of any text returns, and the resource that it finds has that name.
func FuzzForResource(f *testing.F) {
	for _, seed := range []string{"pods", "po.", "deployments.v1.apps", "..", "a/b", "Pod.v1.", ".x", ""} {
		f.Add(seed)
	}
	all := &serverResources{resources: testClusterLists(f), failed: map[schema.GroupVersion]error{{Group: "x", Version: "v1"}: ErrStale}}
	for gv := range all.resources {
		all.addGroup(coreGroup([]string{gv.Version}))
		all.groups[len(all.groups)-1].Name = gv.Group
	}
	index := newResourceIndex(all)
	f.Fuzz(func(t *testing.T, name string) {
		q, err := newNameQuery(name)
		if err != nil {
			return
		}
		index.failuresThatMayMatch(q)
		if r := index.lookup(q); r != nil {
			plain, _, _ := strings.Cut(name, ".")
			names := append([]string{r.Resource, r.SingularName, strings.ToLower(r.Kind)}, r.ShortNames...)
			require.Contains(t, names, strings.ToLower(plain))
		}
	})
}
