package kinds

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// randomValues generates random values, most of which match their type.
type randomValues struct{ *rand.Rand }

func (g randomValues) one(choices ...any) any { return choices[g.IntN(len(choices))] }

func (g randomValues) value(choices *Type, depth int) any {
	if choices == nil || g.IntN(60) == 0 {
		choices = &Type{kind: anything}
	}
	switch choices.kind {
	case text:
		return g.one("a", "b", "", "<é\">", "c\n")
	case number:
		return g.one(int64(0), int64(80), int64(-1), 0.5)
	case boolean:
		return g.one(true, false)
	case scalar:
		return g.one("1", int64(1), "2026-01-01T00:00:00Z")
	case list:
		made := []any{}
		for range g.IntN(4) {
			made = append(made, g.value(choices.element, depth-1))
		}
		return made
	case object:
		return g.object(choices, depth)
	}
	return g.one("x", int64(1), true, []any{"a"}, map[string]any{}, map[string]any{"a": map[string]any{"b": []any{}}}, []any{})
}

func (g randomValues) object(typ *Type, depth int) map[string]any {
	made := map[string]any{}
	if depth <= 0 {
		return made
	}
	for _, name := range slices.Sorted(maps.Keys(typ.fields)) {
		if g.IntN(3) == 0 || slices.Contains(typ.keys, name) {
			made[name] = g.value(typ.fields[name].Type, depth-1)
		}
	}
	if typ.element != nil {
		for range g.IntN(3) {
			made[g.one("k", "l.m/n").(string)] = g.value(typ.element, depth-1)
		}
	}
	if g.IntN(40) == 0 {
		made["unknown"] = g.value(nil, depth-1)
	}
	return made
}

// Created returns the same fields as the field manager.
func TestCreatedEqualsFieldManager(t *testing.T) {
	all := mergeTable().kinds
	names := slices.SortedFunc(maps.Keys(all), func(a, b schema.GroupVersionKind) int {
		return slices.Compare([]string{a.String()}, []string{b.String()})
	})
	names = append(names, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"})
	simple, asked := 0, 0
	for _, kind := range names {
		converter := ConverterOf(kind)
		if converter == nil {
			converter = NewConverter(nil)
		}
		fields, err := managedfields.NewDefaultCRDFieldManager(converter, noConversion{}, noConversion{}, noConversion{}, kind, kind.GroupVersion(), "",
			fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{
				fieldpath.APIVersion(kind.GroupVersion().String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status"), fieldpath.MakePathOrDie("spec", "nodeName")),
			}))
		require.NoError(t, err)
		for seed := range uint64(40) {
			g := randomValues{rand.New(rand.NewPCG(seed, 4))}
			object := Empty(kind).Object
			if all[kind] != nil {
				object = g.object(TypeOf(kind), 6)
			} else {
				object["spec"] = g.value(nil, 3)
				object["more"] = g.value(nil, 3)
			}
			object["apiVersion"], object["kind"] = kind.ToAPIVersionAndKind()
			metadata, _ := object["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
				object["metadata"] = metadata
			}
			metadata["name"] = "a"
			delete(metadata, "managedFields")

			asked++
			got, ok := converter.Created(object, Empty(kind).Object, []string{"status", "spec.nodeName"})
			if !ok {
				continue
			}
			simple++
			entered, err := fields.Update(Empty(kind), (&unstructured.Unstructured{Object: object}).DeepCopy(), "me")
			require.NoError(t, err)
			want := "{}"
			if entries := entered.(*unstructured.Unstructured).GetManagedFields(); len(entries) > 0 {
				want = entries[0].FieldsV1.GetRawString()
			}
			encoded, err := json.Marshal(got)
			require.NoError(t, err)
			require.JSONEq(t, want, string(encoded), "%s, seed %d: %s", kind, seed, fmt.Sprint(object))
		}
	}
	require.Greater(t, simple*2, asked, "%d of %d objects are simple; want more than half", simple, asked)
}

func BenchmarkCreated(b *testing.B) {
	pod, empty := read(b, benchmarkPod).Object, Empty(podKind).Object
	converter := ConverterOf(podKind)
	_, ok := converter.Created(pod, empty, nil)
	require.True(b, ok)
	b.ReportAllocs()
	for b.Loop() {
		converter.Created(pod, empty, []string{"status"})
	}
}
