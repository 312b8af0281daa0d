package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/thinformer/thinformer/internal/kinds"
)

// For server-side apply, an object has the same fields by the table and by client-go's
// schema.
func TestFieldsEqualThoseOfClientGo(t *testing.T) {
	clientGo := applyconfigurations.NewTypeConverter(scheme.Scheme)
	forEachKind(t, 20, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		if !scheme.Scheme.Recognizes(kind) {
			t.Skip("client-go has no apply configuration of custom resource definitions")
		}
		object := &unstructured.Unstructured{Object: random(t, types, kind, with)}
		for _, options := range [][]typed.ValidationOptions{{typed.AllowDuplicates}, nil} {
			ours, err := kinds.ConverterOf(kind).ObjectToTyped(object, options...)
			theirs, theirErr := clientGo.ObjectToTyped(object, options...)
			require.Equal(t, theirErr == nil, err == nil, "ours: %v\ntheirs: %v", err, theirErr)
			if err != nil {
				continue
			}
			got, err := ours.ToFieldSet()
			require.NoError(t, err)
			want, err := theirs.ToFieldSet()
			require.NoError(t, err)
			require.True(t, got.Equals(want), "only ours: %v\nonly theirs: %v", got.Difference(want), want.Difference(got))
		}
	})
}

// A strategic merge patch has the same result by the table and by the Go type, or fails in
// both cases.
func TestPatchesEqualThoseOfGoTypes(t *testing.T) {
	forEachKind(t, 30, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		made, err := types.New(kind)
		require.NoError(t, err)
		original, modified := random(t, types, kind, with), random(t, types, kind, with)
		patches := []map[string]any{modified}
		// The diff has directives: deletions, orders, keys that are retained.
		diff, err := strategicpatch.CreateTwoWayMergeMapPatch(runtime.DeepCopyJSON(original), runtime.DeepCopyJSON(modified), made)
		if err == nil {
			patches = append(patches, diff)
		}
		for _, patch := range patches {
			samePatch(t, kind, made, original, patch)
		}
	})
}

func samePatch(t *testing.T, kind schema.GroupVersionKind, of runtime.Object, original, patch map[string]any) {
	t.Helper()
	got, err := kinds.StrategicMerge(kind, runtime.DeepCopyJSON(original), copied(t, patch))
	want, wantErr := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(original), copied(t, patch), of)
	if wantErr != nil {
		require.Error(t, err, "%v", wantErr)
		return
	}
	require.NoError(t, err)
	require.Equal(t, map[string]any(want), got)
}

// copied copies through JSON, since a diff has numbers that are not int64.
func copied(t *testing.T, patch map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(patch)
	require.NoError(t, err)
	made := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &made))
	return made
}

// The table has all fields of a Go type.
func TestFieldsOfGoTypesAreNotPruned(t *testing.T) {
	forEachKind(t, 20, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		content := random(t, types, kind, with)
		pruned := runtime.DeepCopyJSON(content)
		require.Empty(t, kinds.TypeOf(kind).Prune(pruned))
		require.Equal(t, content, pruned)
	})
}

// The field manager starts with an empty object.
func TestEmptyObjectsEqualThoseOfGoTypes(t *testing.T) {
	types := goTypes(t)
	for _, r := range kinds.Builtin() {
		made, err := types.New(r.GroupVersionKind())
		require.NoError(t, err)
		want, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
		require.NoError(t, err)
		want["apiVersion"], want["kind"] = r.GroupVersionKind().ToAPIVersionAndKind()
		require.Equal(t, want, kinds.Empty(r.GroupVersionKind()).Object, "%s", r.Kind)
	}
}
