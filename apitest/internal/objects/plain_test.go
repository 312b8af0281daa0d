package objects

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// No invalid metadata are plain, for any kind.
func FuzzPlainMetadata(f *testing.F) {
	for _, seed := range [][4]string{
		{"a", "b-1", "app.kubernetes.io/name", "v1.2_3"}, {"A", "", "a/b/c", "-"}, {"1a", "b.c", "/x", "x"}, {"a-", "x", "-.a/b", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, name, namespace, key, value string) {
		for _, field := range []string{"labels", "annotations"} {
			metadata := map[string]any{"name": name, field: map[string]any{key: value}}
			if namespace != "" {
				metadata["namespace"] = namespace
			}
			if !IsPlain(metadata, namespace != "") {
				continue
			}
			obj := &unstructured.Unstructured{Object: map[string]any{"metadata": metadata}}
			for _, rule := range []validation.ValidateNameFunc{validation.NameIsDNSSubdomain, validation.NameIsDNSLabel, anyPathSegment} {
				require.Empty(t, validation.ValidateObjectMetaAccessor(obj, namespace != "", rule, pathOfMetadata))
			}
		}
	})
}

var pathOfMetadata = field.NewPath("metadata")

// anyPathSegment accepts any name that is valid in a path.
func anyPathSegment(name string, _ bool) []string { return content.IsPathSegmentName(name) }

func TestMostMetadataArePlain(t *testing.T) {
	plain := map[string]any{
		"name": "web-0", "namespace": "default", "uid": "1", "generation": int64(1), "creationTimestamp": "2020-01-01T00:00:00Z",
		"labels":      map[string]any{"app": "web", "app.kubernetes.io/name": "Web_1.0", "empty": ""},
		"annotations": map[string]any{"example.com/note": "any text & more"},
	}
	require.True(t, IsPlain(plain, true))
	require.False(t, IsPlain(plain, false), "a namespace on a cluster-scoped object")
	for name, value := range map[string]any{
		"name": "Web", "generateName": "web-", "finalizers": []any{"a/b"}, "ownerReferences": []any{map[string]any{}}, "deletionTimestamp": "x",
		"labels": map[string]any{"a": "b c"}, "annotations": map[string]any{"a b": ""}, "generation": int64(-1),
	} {
		other := map[string]any{"name": "web-0", "namespace": "default"}
		require.True(t, IsPlain(other, true))
		other[name] = value
		require.False(t, IsPlain(other, true), name)
	}
}
