package kinds

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func mustFind(t *testing.T, group, version, kind string) *Resource {
	t.Helper()
	found := Find(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	require.NotNil(t, found, "%s/%s %s", group, version, kind)
	return found
}

// Discovery lists each kind, and each resource, once.
func TestKindsAndResourcesAreUnique(t *testing.T) {
	kinds, plurals := map[schema.GroupVersionKind]bool{}, map[schema.GroupVersionResource]bool{}
	for _, r := range Builtin() {
		assert.False(t, kinds[r.GroupVersionKind()], "%v is listed twice", r.GroupVersionKind())
		assert.False(t, plurals[r.GroupVersionResource()], "%v is listed twice", r.GroupVersionResource())
		kinds[r.GroupVersionKind()], plurals[r.GroupVersionResource()] = true, true
		assert.NotEmpty(t, r.Singular)
		assert.True(t, slices.IsSortedFunc(r.Subresources, func(a, b Subresource) int {
			if a.Name < b.Name {
				return -1
			}
			return 1
		}), "%s: discovery lists subresources by name", r.Plural)
		for _, sub := range r.Subresources {
			assert.NotEmpty(t, sub.Kind, "%s/%s", r.Plural, sub.Name)
			assert.NotEmpty(t, sub.Verbs, "%s/%s", r.Plural, sub.Name)
		}
	}
	assert.Len(t, kinds, 35)
}

// API conventions: a write to the resource does not change its status; a write to
// the subresource status does not change its spec.
func TestWritesSeparateStatusAndSpec(t *testing.T) {
	deployment := mustFind(t, "apps", "v1", "Deployment")
	assert.Equal(t, []string{"status"}, deployment.Resets())
	assert.Equal(t, []string{"spec", "metadata.labels"}, deployment.Subresource("status").Resets)
	assert.Equal(t, "Scale", deployment.Subresource("scale").Kind)
	assert.Nil(t, deployment.Subresource("finalize"))
	assert.Nil(t, mustFind(t, "", "v1", "ConfigMap").Resets())
}

func TestNamespacesHaveNoDeleteCollection(t *testing.T) {
	assert.NotContains(t, mustFind(t, "", "v1", "Namespace").Verbs(), "deletecollection")
	assert.Contains(t, mustFind(t, "", "v1", "Pod").Verbs(), "deletecollection")
}

// API conventions: generation counts changes to the desired state. Deployments
// copy their annotations to their replica sets, and slices are selected by labels.
func TestGenerationFields(t *testing.T) {
	assert.True(t, mustFind(t, "", "v1", "Pod").Generation)
	assert.False(t, mustFind(t, "", "v1", "Service").Generation)
	assert.Equal(t, "annotations", mustFind(t, "apps", "v1", "Deployment").Counted)
	assert.Equal(t, "labels", mustFind(t, "discovery.k8s.io", "v1", "EndpointSlice").Counted)
	assert.Empty(t, mustFind(t, "apps", "v1", "StatefulSet").Counted)
}

// Field selectors: a field that the kind does not declare is rejected, with the
// real server's message.
func TestUnknownFieldSelectorsAreRejected(t *testing.T) {
	for _, tc := range []struct{ group, kind, field, message string }{
		{"", "ConfigMap", "foo", `"foo" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"", "Pod", "foo", "field label not supported: foo"},
		{"", "Node", "metadata.namespace", "field label not supported: metadata.namespace"},
		{"batch", "Job", "foo", `field label "foo" not supported for Job`},
		{"events.k8s.io", "Event", "source", "field label not supported: source"},
		{"apps", "ReplicaSet", "status.replicas", `"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"`},
	} {
		_, err := mustFind(t, tc.group, "v1", tc.kind).Field(tc.field)
		assert.EqualError(t, err, tc.message, "%s %s", tc.kind, tc.field)
	}
	assert.Equal(t, []string{"metadata.name", "metadata.namespace"}, mustFind(t, "", "v1", "Secret").Fields()[:2])
	assert.Equal(t, []string{"metadata.name", "metadata.namespace"}, mustFind(t, "", "v1", "ConfigMap").Fields())
}

// Field selectors compare text, including the defaults that the real server sets.
func TestFieldSelectorValues(t *testing.T) {
	pod := map[string]any{
		"metadata": map[string]any{"name": "a", "namespace": "b"},
		"spec":     map[string]any{"nodeName": "n", "hostNetwork": true},
		"status":   map[string]any{"podIP": "1.2.3.4", "podIPs": []any{map[string]any{"ip": "1.2.3.4"}}},
	}
	event := map[string]any{"source": map[string]any{"component": ""}, "reportingComponent": "c"}
	job := map[string]any{"status": map[string]any{"succeeded": int64(3)}}
	for _, tc := range []struct {
		group, kind, field string
		object             map[string]any
		value              string
	}{
		{"", "Pod", "metadata.name", pod, "a"},
		{"", "Pod", "metadata.namespace", pod, "b"},
		{"", "Pod", "spec.nodeName", pod, "n"},
		{"", "Pod", "spec.host", pod, "n"},
		{"", "Pod", "spec.hostNetwork", pod, "true"},
		{"", "Pod", "spec.hostNetwork", nil, "false"},
		{"", "Pod", "spec.restartPolicy", pod, "Always"},
		{"", "Pod", "status.podIP", pod, "1.2.3.4"},
		{"", "Pod", "status.podIPs", pod, ""},
		{"", "Event", "source", event, "c"},
		{"", "Event", "source", map[string]any{"source": "text"}, ""},
		{"batch", "Job", "status.successful", job, "3"},
		{"batch", "Job", "status.successful", nil, "0"},
	} {
		field, err := mustFind(t, tc.group, "v1", tc.kind).Field(tc.field)
		require.NoError(t, err)
		assert.Equal(t, tc.value, field.Value(tc.object), "%s %s", tc.kind, tc.field)
	}
}
