package apitest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// defaulted has defaults at several depths, and a nullable field.
const defaulted = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"cups.example.com"},"spec":{
	"group":"example.com","scope":"Namespaced","names":{"plural":"cups","kind":"Cup"},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"spec":{"type":"object","default":{},"properties":{
			"size":{"type":"integer","default":3},
			"note":{"type":"string"},
			"handles":{"type":"array","items":{"type":"object","properties":{"side":{"type":"string"},"length":{"type":"integer","default":7}}}}}},
		"status":{"type":"object","properties":{"full":{"type":"boolean"}}}}}}}]}}`

func cup(name string, spec map[string]any) *unstructured.Unstructured {
	obj := unstructuredOf("example.com/v1", "Cup", "default", name)
	if spec != nil {
		obj.Object["spec"] = spec
	}
	return obj
}

// Create, Seed, Update and Modify apply the defaults of the definition and drop
// unknown fields. A client that writes such an object back does not increment
// its generation.
func TestGoAccessAppliesDefaults(t *testing.T) {
	srv := inMemory(t)
	must(t, srv, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", jsonType, defaulted)

	created := Create(t, srv, cup("a", map[string]any{
		"handles": []any{map[string]any{"side": "left"}}, "note": nil, "unknown": "x",
	}))
	want := map[string]any{"size": int64(3), "handles": []any{map[string]any{"side": "left", "length": int64(7)}}}
	require.Equal(t, want, created.Object["spec"])
	Seed(t, srv, 2, func(i int) *unstructured.Unstructured { return cup([]string{"b", "c"}[i], nil) })
	require.Equal(t, map[string]any{"size": int64(3)}, Get(t, srv, cup("c", nil)).Object["spec"])

	for _, name := range []string{"a", "b", "c"} {
		path := "/apis/example.com/v1/namespaces/default/cups/" + name
		read := must(t, srv, "GET "+path, "", "")
		written := must(t, srv, "PUT "+path, jsonType, textOfObject(t, read))
		require.EqualValues(t, 1, objects.At(written, "metadata.generation"), name)
		labelled := must(t, srv, "PATCH "+path, mergePatchType, `{"metadata":{"labels":{"a":"b"}},"status":{"full":true}}`)
		require.EqualValues(t, 1, objects.At(labelled, "metadata.generation"), name)
	}

	updated := Update(t, srv, cup("a", map[string]any{"note": "x"}))
	require.Equal(t, map[string]any{"size": int64(3), "note": "x"}, updated.Object["spec"])
	require.EqualValues(t, 2, updated.GetGeneration())
	modified := Modify(t, srv, cup("a", nil), func(c *unstructured.Unstructured) {
		c.Object["spec"].(map[string]any)["handles"] = []any{map[string]any{}}
	})
	require.Equal(t, map[string]any{"size": int64(3), "note": "x", "handles": []any{map[string]any{"length": int64(7)}}}, modified.Object["spec"])
	require.EqualValues(t, 3, modified.GetGeneration())
	same := Modify(t, srv, cup("a", nil), func(c *unstructured.Unstructured) {
		delete(c.Object["spec"].(map[string]any), "size")
	})
	require.EqualValues(t, 3, same.GetGeneration(), "a field with a default cannot be removed")
}

func textOfObject(t testing.TB, content map[string]any) string {
	t.Helper()
	text, err := (&unstructured.Unstructured{Object: content}).MarshalJSON()
	require.NoError(t, err)
	return string(text)
}
