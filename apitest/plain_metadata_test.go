package apitest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Nothing that the rules refuse passes as plain, whatever the kind.
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
			if !isPlain(metadata, namespace != "") {
				continue
			}
			obj := &unstructured.Unstructured{Object: map[string]any{"metadata": metadata}}
			for _, rule := range []validation.ValidateNameFunc{validation.NameIsDNSSubdomain, validation.NameIsDNSLabel, validatePathSegment} {
				require.Empty(t, validation.ValidateObjectMetaAccessor(obj, namespace != "", rule, metadataPath))
			}
		}
	})
}

func TestMostMetadataArePlain(t *testing.T) {
	plain := map[string]any{
		"name": "web-0", "namespace": "default", "uid": "1", "generation": int64(1), "creationTimestamp": "2020-01-01T00:00:00Z",
		"labels":      map[string]any{"app": "web", "app.kubernetes.io/name": "Web_1.0", "empty": ""},
		"annotations": map[string]any{"example.com/note": "any text & more"},
	}
	require.True(t, isPlain(plain, true))
	require.False(t, isPlain(plain, false), "a namespace where there are none")
	for name, value := range map[string]any{
		"name": "Web", "generateName": "web-", "finalizers": []any{"a/b"}, "ownerReferences": []any{map[string]any{}}, "deletionTimestamp": "x",
		"labels": map[string]any{"a": "b c"}, "annotations": map[string]any{"a b": ""}, "generation": int64(-1),
	} {
		other := map[string]any{"name": "web-0", "namespace": "default"}
		require.True(t, isPlain(other, true))
		other[name] = value
		require.False(t, isPlain(other, true), name)
	}
}
