package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// managersOf returns the field managers of pods or of a custom resource Foo with
// the versions v1 and v1alpha1.
func managersOf(t testing.TB, kind string) *fieldManagers {
	t.Helper()
	if kind == "Pod" {
		return builtinResource("Pod").FieldManagers()
	}
	schema, err := kinds.FromSchema(map[string]any{"type": "object", "properties": map[string]any{
		"spec":   map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": map[string]any{"color": map[string]any{"type": "string"}}},
		"status": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}})
	require.NoError(t, err)
	res := &Resource{Custom: true, Shape: schema, Stored: schema, Info: Info{
		ResourceInfo: rest.ResourceInfo{GroupVersionResource: foosV1, Kind: "Foo", Namespaced: true}, Status: true, Generation: true,
	}}
	res.Versions = Converters{"example.com/v1": kinds.NewConverter(schema), "example.com/v1alpha1": kinds.NewConverter(schema)}
	res.Complete()
	return res.FieldManagers()
}

var foosV1 = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}

// parsedObject decodes an object.
func parsedObject(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	obj, err := objects.Decode([]byte(text))
	require.NoError(t, err)
	return obj
}

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

// The creator of an object owns its fields except for the status, and the fast
// path agrees with the field manager.
func TestCreatorsOwnTheirFields(t *testing.T) {
	for kind, text := range map[string]string{
		"Pod": podText,
		"Foo": `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","labels":{"a":"b"}},"spec":{"color":"red"},"status":{"x":1}}`,
	} {
		m := managersOf(t, kind)
		quick, err := m.Track(NotAborted{}, "", "me", parsedObject(t, text), nil)
		require.NoError(t, err)
		managers, err := m.manager(NotAborted{}, "")
		require.NoError(t, err)
		empty, err := versionConverter{}.New(m.kind)
		require.NoError(t, err)
		slow, err := managers.Update(empty, parsedObject(t, text), "me")
		require.NoError(t, err)
		require.Equal(t, entries(t, slow.(*unstructured.Unstructured)), entries(t, quick))
		require.NotContains(t, entries(t, quick)[0], "f:status")
	}
}

// A writer takes over the fields that it changes. A writer that changes nothing
// is not recorded. A writer of the status owns nothing else.
func TestWritersOwnChangedFields(t *testing.T) {
	m := managersOf(t, "Foo")
	live, err := m.Track(NotAborted{}, "", "creator", parsedObject(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","uid":"1"},"spec":{"color":"red","size":1}}`), nil)
	require.NoError(t, err)

	same, err := m.Track(NotAborted{}, "", "idler", live.DeepCopy(), live)
	require.NoError(t, err)
	require.Equal(t, live, same)
	forgetful := live.DeepCopy()
	forgetful.SetManagedFields(nil)
	same, err = m.Track(NotAborted{}, "", "idler", forgetful, live)
	require.NoError(t, err)
	require.Equal(t, entries(t, live), entries(t, same))

	painted := live.DeepCopy()
	require.NoError(t, unstructured.SetNestedField(painted.Object, "blue", "spec", "color"))
	painted, err = m.Track(NotAborted{}, "", "painter", painted, live)
	require.NoError(t, err)
	require.Equal(t, []string{
		`creator Update example.com/v1 : {"f:spec":{".":{},"f:size":{}}}`,
		`painter Update example.com/v1 : {"f:spec":{"f:color":{}}}`,
	}, entries(t, painted))

	done := painted.DeepCopy()
	done.Object["status"] = map[string]any{"ready": true}
	done.SetLabels(map[string]string{"a": "b"})
	done, err = m.Track(NotAborted{}, "status", "controller", done, painted)
	require.NoError(t, err)
	require.Contains(t, entries(t, done), `controller Update example.com/v1 status: {"f:status":{".":{},"f:ready":{}}}`)
}

// The managers of a removed version are dropped.
func TestManagersOfRemovedVersionsAreDropped(t *testing.T) {
	m := managersOf(t, "Foo")
	live := parsedObject(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","uid":"1","managedFields":[
		{"manager":"old","operation":"Update","apiVersion":"example.com/v9","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:color":{}}},"time":"2026-01-01T00:00:00Z"},
		{"manager":"alpha","operation":"Update","apiVersion":"example.com/v1alpha1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:color":{}}},"time":"2026-01-01T00:00:00Z"}]},"spec":{"color":"red"}}`)
	next := live.DeepCopy()
	require.NoError(t, unstructured.SetNestedField(next.Object, "x", "spec", "more"))
	next, err := m.Track(NotAborted{}, "", "me", next, live)
	require.NoError(t, err)
	require.Equal(t, []string{`alpha Update example.com/v1alpha1 : {"f:spec":{"f:color":{}}}`, `me Update example.com/v1 : {"f:spec":{"f:more":{}}}`}, entries(t, next))
}

func BenchmarkTrack(b *testing.B) {
	m := managersOf(b, "Pod")
	obj := parsedObject(b, podText)
	b.Run("create", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			delete(obj.Object["metadata"].(map[string]any), "managedFields")
			if _, err := m.Track(NotAborted{}, "", "me", obj, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			next := obj.DeepCopy()
			next.SetLabels(map[string]string{"app": "x"})
			if _, err := m.Track(NotAborted{}, "", "other", next, obj); err != nil {
				b.Fatal(err)
			}
		}
	})
}
