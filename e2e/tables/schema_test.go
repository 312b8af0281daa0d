package main

import (
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/thinformer/thinformer/internal/kinds"
)

// dice generates random schemas, and values that mostly follow them.
type dice struct {
	*rand.Rand
	// embed lets schemas have embedded objects.
	embed bool
}

func (d dice) one(in int) bool { return d.Intn(in) == 0 }

var someNames = []string{"a", "b", "c", "d"}

func (d dice) schema(depth int) map[string]any {
	made := map[string]any{}
	choice := d.Intn(7)
	if depth == 0 {
		choice = d.Intn(3)
	}
	switch choice {
	case 0:
		made["type"] = "string"
		if d.one(3) {
			made["default"] = "filled"
		}
	case 1:
		made["type"] = "integer"
		if d.one(3) {
			made["default"] = int64(7)
		}
	case 2:
		if d.one(2) {
			made["x-kubernetes-int-or-string"] = true
		} else {
			made["x-kubernetes-preserve-unknown-fields"] = true
		}
	case 3, 4:
		d.object(made, depth)
	case 5:
		made["type"] = "object"
		if d.one(4) {
			made["additionalProperties"] = true
		} else {
			made["additionalProperties"] = d.schema(depth - 1)
		}
	case 6:
		d.list(made, depth)
	}
	if d.one(5) {
		made["nullable"] = true
	}
	return made
}

func (d dice) object(made map[string]any, depth int) {
	made["type"] = "object"
	properties := map[string]any{}
	for _, name := range someNames {
		if d.one(2) {
			properties[name] = d.schema(depth - 1)
		}
	}
	made["properties"] = properties
	if d.one(4) {
		made["x-kubernetes-preserve-unknown-fields"] = true
	}
	if d.one(5) {
		made["x-kubernetes-map-type"] = "atomic"
	}
	if d.embed && d.one(3) {
		made["x-kubernetes-embedded-resource"] = true
	}
	if d.one(6) {
		made["default"] = map[string]any{"a": "b"}
	}
}

func (d dice) list(made map[string]any, depth int) {
	made["type"] = "array"
	switch d.Intn(3) {
	case 0:
		made["items"] = map[string]any{"type": "string"}
		made["x-kubernetes-list-type"] = "set"
	case 1:
		item := map[string]any{}
		d.object(item, depth)
		key := map[string]any{"type": "string"}
		if d.one(2) {
			key["default"] = "k"
		}
		item["properties"].(map[string]any)["key"] = key
		made["items"] = item
		made["x-kubernetes-list-type"] = "map"
		made["x-kubernetes-list-map-keys"] = []any{"key"}
	case 2:
		made["items"] = d.schema(depth - 1)
	}
}

// value returns a value that follows a schema, except for unknown fields and, if odd, nulls
// and values of other types.
func (d dice) value(of map[string]any, odd bool, depth int) any {
	if odd && d.one(10) {
		return []any{nil, "odd", map[string]any{"odd": map[string]any{"x": "y"}}, []any{map[string]any{"odd": int64(1)}}}[d.Intn(4)]
	}
	switch of["type"] {
	case "string":
		return someNames[d.Intn(4)]
	case "integer":
		return int64(d.Intn(4))
	case "array":
		made := []any{}
		for range d.Intn(3) {
			made = append(made, d.value(of["items"].(map[string]any), odd, depth-1))
		}
		return made
	case "object":
		return d.fields(of, odd, depth)
	}
	if of["x-kubernetes-preserve-unknown-fields"] == true && d.one(2) {
		return map[string]any{"free": map[string]any{"a": []any{map[string]any{"b": "c"}}}}
	}
	return int64(1)
}

func (d dice) fields(of map[string]any, odd bool, depth int) map[string]any {
	made := map[string]any{}
	properties, _ := of["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) { // so that a seed makes the same value again
		if !d.one(3) {
			made[name] = d.value(properties[name].(map[string]any), odd, depth-1)
		}
	}
	switch additional := of["additionalProperties"].(type) {
	case bool:
		made["e"] = map[string]any{"f": "g"}
	case map[string]any:
		made["e"] = d.value(additional, odd, depth-1)
		made["f"] = d.value(additional, odd, depth-1)
	}
	if of["x-kubernetes-embedded-resource"] == true && odd {
		made["apiVersion"], made["kind"] = "v1", "Embedded"
		made["metadata"] = map[string]any{"name": "a", "unknown": "b", "labels": map[string]any{"a": "b"}}
	}
	if odd && d.one(3) {
		made["unknown"] = map[string]any{"more": []any{"of", "it"}}
	}
	return made
}

// structural returns the real server's form of a schema.
func structural(t *testing.T, schema map[string]any) *structuralschema.Structural {
	t.Helper()
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	var external apiextensionsv1.JSONSchemaProps
	require.NoError(t, json.Unmarshal(text, &external))
	var internal apiextensions.JSONSchemaProps
	require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil))
	made, err := structuralschema.NewStructural(&internal)
	require.NoError(t, err)
	return made
}

// forSomeSchemas runs a test with random schemas. A failing test logs its seed.
func forSomeSchemas(t *testing.T, embed bool, test func(d dice, schema map[string]any, ours *kinds.Type)) {
	seed := rand.Int63()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	d := dice{rand.New(rand.NewSource(seed)), embed}
	for range 2000 {
		schema := map[string]any{"type": "object", "properties": map[string]any{"spec": d.schema(4), "status": d.schema(2)}}
		ours, err := kinds.FromSchema(schema)
		require.NoError(t, err)
		test(d, schema, ours)
	}
}

// The code of the real server prunes the same fields of structural schemas.
func TestPruningEqualsRealServer(t *testing.T) {
	pruned := 0
	forSomeSchemas(t, true, func(d dice, schema map[string]any, ours *kinds.Type) {
		theirs := structural(t, schema)
		got := d.fields(schema, true, 4)
		want := runtime.DeepCopyJSON(got)
		text := runtime.DeepCopyJSON(got)

		unknown := pruning.PruneWithOptions(want, theirs, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
		fault, more := objectmeta.CoerceWithOptions(nil, want, theirs, false, objectmeta.CoerceOptions{DropInvalidFields: true, ReturnUnknownFieldPaths: true})
		require.Nil(t, fault)
		unknown = append(unknown, more...)

		found := ours.Prune(got)
		require.Equal(t, append([]string{}, unknown...), append([]string{}, found...), "%v\n%v", schema, text)
		require.Equal(t, want, got, "%v\n%v", schema, text)
		pruned += len(found)
	})
	require.Greater(t, pruned, 1000, "the random objects have nothing to prune")
}

func TestDefaultsEqualRealServer(t *testing.T) {
	forSomeSchemas(t, true, func(d dice, schema map[string]any, ours *kinds.Type) {
		theirs := structural(t, schema)
		got := d.fields(schema, true, 4)
		want, text := runtime.DeepCopyJSON(got), runtime.DeepCopyJSON(got)

		defaulting.Default(want, theirs)
		ours.Default(got, nil)
		require.Equal(t, want, got, "%v\n%v", schema, text)

		defaulting.PruneNonNullableNullsWithoutDefaults(want, theirs)
		ours.DropNulls(got)
		require.Equal(t, want, got, "%v\n%v", schema, text)
	})
}

// The code of the real server finds the same fields for server-side apply of custom
// resources.
func TestCustomFieldsEqualRealServer(t *testing.T) {
	forSomeSchemas(t, false, func(d dice, schema map[string]any, ours *kinds.Type) {
		open := structural(t, schema).ToKubeOpenAPI()
		open.Properties["apiVersion"], open.Properties["kind"] = *spec.StringProperty(), *spec.StringProperty()
		open.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": "example.com", "version": "v1", "kind": "Thing"}})
		theirs, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"thing": open}, false)
		require.NoError(t, err)

		object := &unstructured.Unstructured{Object: d.fields(schema, false, 4)}
		object.SetAPIVersion("example.com/v1")
		object.SetKind("Thing")
		for _, options := range [][]typed.ValidationOptions{{typed.AllowDuplicates}, nil} {
			want, theirErr := theirs.ObjectToTyped(object, options...)
			got, err := kinds.NewConverter(ours).ObjectToTyped(object, options...)
			if theirErr != nil && options == nil {
				require.Error(t, err, "%v", theirErr)
				require.Equal(t, complaints(theirErr), complaints(err))
			}
			if theirErr != nil {
				continue
			}
			require.NoError(t, err, "%v\n%v", schema, object.Object)
			wantSet, err := want.ToFieldSet()
			require.NoError(t, err)
			gotSet, err := got.ToFieldSet()
			require.NoError(t, err)
			require.True(t, gotSet.Equals(wantSet), "%v\n%v\nonly ours: %v\nonly theirs: %v", schema, object.Object, gotSet.Difference(wantSet), wantSet.Difference(gotSet))
		}
	})
}

// complaints returns the sorted lines of an error, which has them in any order.
func complaints(of error) []string {
	lines := strings.Split(of.Error(), "\n")
	slices.Sort(lines)
	return lines
}
