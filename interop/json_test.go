package interop_test

import (
	"bytes"
	stdjson "encoding/json"
	oldrand "math/rand"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"github.com/thinformer/thinformer/interop/objects"
)

// Promise: on valid input, decoding is equal to apimachinery's decoders.
func TestCorpusDecodesAlike(t *testing.T) {
	for _, entry := range corpus(t) {
		t.Run(entry.Name, func(t *testing.T) {
			for name, into := range intoTypes(kindOf(t, entry.JSON)) {
				t.Run(name, func(t *testing.T) { mustAgree(t, entry.JSON, into) })
			}
		})
	}
}

// The same documents in other notations: other orders, spaces and escapes, nulls, unknown
// fields, other forms of numbers, values of wrong types. Documents that apimachinery
// rejects are rejected.
func TestMutationsOfCorpusDecodeAlike(t *testing.T) {
	const rounds = 60
	for _, entry := range corpus(t) {
		if len(entry.JSON) > 16<<10 {
			continue // the big secret is one long string
		}
		t.Run(entry.Name, func(t *testing.T) {
			types := intoTypes(kindOf(t, entry.JSON))
			for seed := range uint64(rounds) {
				mutant := mutate(t, entry.JSON, rand.New(rand.NewPCG(seed, 99)))
				require.True(t, stdjson.Valid(mutant), "seed %d: not JSON: %s", seed, mutant)
				for _, into := range types {
					mustAgree(t, mutant, into)
				}
			}
		})
	}
}

// Random objects of every kind of the corpus.
func TestRandomObjectsDecodeAlike(t *testing.T) {
	const rounds = 20
	done := map[schema.GroupVersionKind]bool{}
	for _, entry := range corpus(t) {
		kind := kindOf(t, entry.JSON)
		if !scheme.Scheme.Recognizes(kind) || done[kind] {
			continue
		}
		done[kind] = true
		t.Run(entry.Name, func(t *testing.T) {
			for range rounds {
				data, err := objects.JSON(randomObject(t, kind))
				require.NoError(t, err)
				for _, into := range intoTypes(kind) {
					mustAgree(t, data, into)
				}
			}
		})
	}
}

var filler = fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(7), scheme.Codecs)

// randomObject returns an object with values in most of its fields.
func randomObject(t testing.TB, kind schema.GroupVersionKind) runtime.Object {
	t.Helper()
	object, err := scheme.Scheme.New(kind)
	require.NoError(t, err)
	filler.Fill(object)
	object.GetObjectKind().SetGroupVersionKind(kind)
	return object
}

// FuzzJSON decodes any bytes. If they are JSON without duplicate keys, both decoders agree;
// otherwise, ours must not panic.
func FuzzJSON(f *testing.F) {
	for _, entry := range corpus(f) {
		if len(entry.JSON) < 8<<10 {
			f.Add(entry.JSON)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kind := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
		var meta metav1.TypeMeta
		if kjson.UnmarshalCaseSensitivePreserveInts(data, &meta) == nil && scheme.Scheme.Recognizes(schema.FromAPIVersionAndKind(meta.APIVersion, meta.Kind)) {
			kind = schema.FromAPIVersionAndKind(meta.APIVersion, meta.Kind)
		}
		for _, into := range intoTypes(kind) {
			if !stdjson.Valid(data) || repeatsKeys(data) || depth(data) > 500 {
				_, _ = ours(data, into)
				continue
			}
			mustAgree(t, data, into)
		}
	})
}

// repeatsKeys reports whether an object has a duplicate key.
func repeatsKeys(data []byte) bool {
	var any map[string]any
	complaints, err := kjson.UnmarshalStrict(data, &any, kjson.DisallowDuplicateFields)
	return err != nil || len(complaints) > 0
}

func depth(data []byte) (deepest int) {
	level := 0
	for decoder := stdjson.NewDecoder(bytes.NewReader(data)); ; {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case stdjson.Delim('{'), stdjson.Delim('['):
			level++
			deepest = max(deepest, level)
		case stdjson.Delim('}'), stdjson.Delim(']'):
			level--
		}
	}
}
