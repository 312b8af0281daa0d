package kinds

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Only the parts of a stored object that match its type are managed.
func TestConformingDropsMismatchedValues(t *testing.T) {
	for given, matching := range map[string]string{
		`{metadata: {labels: {a: b, c: 1, d: {}}}}`:                           `{metadata: {labels: {a: b}}}`,
		`{metadata: {finalizers: [a, 1, {}, null, []]}}`:                      `{metadata: {finalizers: [a]}}`,
		`{spec: {containers: [{name: a}, {image: b}, c, {name: {}}, null]}}`:  `{spec: {containers: [{name: a}, {image: b}, {}]}}`,
		`{spec: {topologySpreadConstraints: [{}, {topologyKey: a}]}}`:         `{spec: {topologySpreadConstraints: [{}, {topologyKey: a}]}}`,
		`{spec: {nodeName: [], hostNetwork: "yes", priority: x, unknown: 1}}`: `{spec: {unknown: 1}}`,
		`{spec: null}`: `{spec: null}`,
	} {
		got, ok := TypeOf(podKind).conforming(mapOf(t, given))
		assert.True(t, ok)
		assert.Equal(t, mapOf(t, matching), got, given)
	}
}

// Every stored object can be managed, pruned and defaulted.
func FuzzStoredObjects(f *testing.F) {
	f.Add(`{"spec":{"containers":[{"name":"a"},{"image":"b"},"c",{"name":{}},null]},"metadata":{"finalizers":["a","a",1]}}`)
	f.Add(`{"spec":{"ports":[{"port":1},{"port":1},{"protocol":[]}],"tags":["a",{}],"plain":[[[]]],"whole":{"a":[1]},"free":{"known":[]}}}`)
	f.Add(`{"metadata":1,"spec":{"template":{"metadata":[{}],"spec":null},"nodeSelector":[1],"ports":{"port":1}},"apiVersion":{},"kind":[]}`)
	custom := thing(f)
	converters := map[*Type]*Converter{TypeOf(podKind): ConverterOf(podKind), custom: NewConverter(custom)}
	f.Fuzz(func(t *testing.T, text string) {
		content := map[string]any{}
		if utiljson.Unmarshal([]byte(text), &content) != nil {
			return
		}
		for typ, converter := range converters {
			object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
			made, err := converter.ObjectToTyped(object, typed.AllowDuplicates)
			require.NoError(t, err)
			_, err = made.ToFieldSet()
			require.NoError(t, err)
			_, err = made.Compare(made)
			require.NoError(t, err)

			typ.Default(object.Object, nil)
			typ.Prune(object.Object)
			require.Empty(t, typ.Prune(object.Object), "pruned twice")
			typ.DropNulls(object.Object)
		}
	})
}

// A schema is user input: any JSON is either converted or rejected.
func FuzzFromSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"spec":{"type":"array","items":{"type":"object","default":{"a":1}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"]}}}`, `{"spec":[{"a":1},null]}`)
	f.Add(`{"properties":[],"additionalProperties":{"x-kubernetes-embedded-resource":true,"items":1},"default":[]}`, `{"a":{"metadata":1}}`)
	f.Add(`{"properties":{"a":{"properties":{"b":{"type":"array","x-kubernetes-list-type":"set"}},"x-kubernetes-embedded-resource":true}}}`, `{"a":{"b":[[]],"metadata":{"a":1}}}`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		describes, content := map[string]any{}, map[string]any{}
		if utiljson.Unmarshal([]byte(schema), &describes) != nil || utiljson.Unmarshal([]byte(text), &content) != nil {
			return
		}
		typ, err := FromSchema(describes)
		if err != nil {
			return
		}
		typ.Default(content, nil)
		typ.Prune(content)
		typ.DropNulls(content)
		_, err = NewConverter(typ).ObjectToTyped(&unstructured.Unstructured{Object: content}, typed.AllowDuplicates)
		require.NoError(t, err)
	})
}
