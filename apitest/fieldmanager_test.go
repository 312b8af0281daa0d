package apitest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// managersOf a kind as it is served.
func managersOf(t testing.TB, gvr schema.GroupVersionResource) *fieldManagers {
	s := NewServer(Options{InMemory: true})
	t.Cleanup(s.Close)
	define(t, s, fooDefinition)
	res := s.registry.find(gvr)
	require.NotNil(t, res)
	return res.managers()
}

var podResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

const podText = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default","labels":{"app":"web","tier":"front"},"annotations":{"example.com/note":"a note of some length"},
	"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"8f2f6a34-3f0e-4a53-a6d5-6f4b9a5ad7f1","controller":true,"blockOwnerDeletion":true}]},
	"spec":{"containers":[{"name":"web","image":"nginx:1.29","ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
		"env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
		"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]},
		{"name":"side","image":"envoy:1"}],
		"volumes":[{"name":"data","emptyDir":{}}],"nodeName":"node-1","tolerations":[{"key":"a","operator":"Exists"}]},
	"status":{"phase":"Running"}}`

func entries(t testing.TB, obj *unstructured.Unstructured) (all []string) {
	t.Helper()
	for _, e := range obj.GetManagedFields() {
		require.NotNil(t, e.Time)
		line := e.Manager + " " + string(e.Operation) + " " + e.APIVersion + " " + e.Subresource + ": "
		all = append(all, line+e.FieldsV1.GetRawString())
	}
	return all
}

// Who creates an object manages its fields; the status is not theirs, and the
// field manager is of the same opinion.
func TestCreatorsManageWhatTheyCreate(t *testing.T) {
	for gvr, text := range map[schema.GroupVersionResource]string{
		podResource: podText,
		foos("v1"):  `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","labels":{"a":"b"}},"spec":{"color":"red"},"status":{"x":1}}`,
	} {
		m := managersOf(t, gvr)
		quick, err := m.track("", "me", parsed(t, text), nil)
		require.NoError(t, err)
		managers, err := m.of("")
		require.NoError(t, err)
		empty, err := renaming{}.New(m.kind)
		require.NoError(t, err)
		slow, err := managers.Update(empty, parsed(t, text), "me")
		require.NoError(t, err)
		require.Equal(t, entries(t, slow.(*unstructured.Unstructured)), entries(t, quick))
		require.NotContains(t, entries(t, quick)[0], "f:status")
	}
}

// Who changes a field takes it from who had it; who changes nothing is not
// entered; who writes the status manages nothing else.
func TestWritersManageWhatTheyChange(t *testing.T) {
	m := managersOf(t, foos("v1"))
	live, err := m.track("", "creator", parsed(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","uid":"1"},"spec":{"color":"red","size":1}}`), nil)
	require.NoError(t, err)

	same, err := m.track("", "idler", live.DeepCopy(), live)
	require.NoError(t, err)
	require.Equal(t, live, same)
	forgetful := live.DeepCopy()
	forgetful.SetManagedFields(nil)
	same, err = m.track("", "idler", forgetful, live)
	require.NoError(t, err)
	require.Equal(t, entries(t, live), entries(t, same))

	painted := live.DeepCopy()
	require.NoError(t, unstructured.SetNestedField(painted.Object, "blue", "spec", "color"))
	painted, err = m.track("", "painter", painted, live)
	require.NoError(t, err)
	require.Equal(t, []string{
		`creator Update example.com/v1 : {"f:spec":{".":{},"f:size":{}}}`,
		`painter Update example.com/v1 : {"f:spec":{"f:color":{}}}`,
	}, entries(t, painted))

	done := painted.DeepCopy()
	done.Object["status"] = map[string]any{"ready": true}
	done.SetLabels(map[string]string{"a": "b"})
	done, err = m.track("status", "controller", done, painted)
	require.NoError(t, err)
	require.Contains(t, entries(t, done), `controller Update example.com/v1 status: {"f:status":{".":{},"f:ready":{}}}`)
}

// A version that is no longer there takes its managers along.
func TestManagersInVersionsThatAreGoneAreForgotten(t *testing.T) {
	m := managersOf(t, foos("v1"))
	live := parsed(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","uid":"1","managedFields":[
		{"manager":"old","operation":"Update","apiVersion":"example.com/v9","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:color":{}}},"time":"2026-01-01T00:00:00Z"},
		{"manager":"alpha","operation":"Update","apiVersion":"example.com/v1alpha1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:color":{}}},"time":"2026-01-01T00:00:00Z"}]},"spec":{"color":"red"}}`)
	next := live.DeepCopy()
	require.NoError(t, unstructured.SetNestedField(next.Object, "x", "spec", "more"))
	next, err := m.track("", "me", next, live)
	require.NoError(t, err)
	require.Equal(t, []string{`alpha Update example.com/v1alpha1 : {"f:spec":{"f:color":{}}}`, `me Update example.com/v1 : {"f:spec":{"f:more":{}}}`}, entries(t, next))
}

func BenchmarkTrack(b *testing.B) {
	m := managersOf(b, podResource)
	obj := parsed(b, podText)
	b.Run("create", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			delete(obj.Object["metadata"].(map[string]any), "managedFields")
			if _, err := m.track("", "me", obj, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			next := obj.DeepCopy()
			next.SetLabels(map[string]string{"app": "x"})
			if _, err := m.track("", "other", next, obj); err != nil {
				b.Fatal(err)
			}
		}
	})
}
