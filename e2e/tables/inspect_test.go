package main

import (
	"encoding/json"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/randfill"

	"github.com/thinformer/thinformer/internal/kinds"
)

// The errors about the text of an object equal those of the decoder of its Go type. Trim
// also detects every invalid object.
func TestErrorsOfTextsEqualThoseOfGoTypes(t *testing.T) {
	wrong := 0
	forEachKind(t, 50, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		w := newSpoiler(with)
		text := w.object(nil, random(t, types, kind, with), true)
		strictly := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, types, types, serializer.SerializerOptions{Strict: true})
		_, _, theirs := strictly.Decode(text, &kind, nil)

		typ := kinds.TypeOf(kind)
		findings, err := typ.Inspect(text)
		if err == nil && len(findings) > 0 {
			err = runtime.NewStrictDecodingError(findings)
		}
		if theirs == nil {
			require.NoError(t, err, "%s", text)
			return
		}
		wrong++
		require.EqualError(t, err, theirs.Error(), "%s", text)

		if w.doubled {
			return
		}
		var content map[string]any
		require.NoError(t, utiljson.Unmarshal(text, &content))
		unknown, fits := typ.Trim(content)
		require.True(t, !fits || len(unknown) > 0, "%s", text)
	})
	require.Greater(t, wrong, 500)
}

// The errors about the content of an object equal those of apimachinery's converter to the
// Go type.
func TestErrorsOfContentEqualThoseOfGoTypes(t *testing.T) {
	wrong := 0
	forEachKind(t, 50, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		w := newSpoiler(with)
		w.once = true
		var content map[string]any
		require.NoError(t, utiljson.Unmarshal(w.object(nil, random(t, types, kind, with), true), &content))
		made, err := types.New(kind)
		require.NoError(t, err)
		theirs := runtime.DefaultUnstructuredConverter.FromUnstructured(content, made)

		typ := kinds.TypeOf(kind)
		err = typ.Unlike(content)
		if theirs == nil {
			require.NoError(t, err, "%v", content)
			return
		}
		wrong++
		require.EqualError(t, err, theirs.Error(), "%v", content)
		_, fits := typ.Trim(content)
		require.False(t, fits, "%v", content)
	})
	require.Greater(t, wrong, 100)
}

// spoiler writes values as JSON, with mistakes.
type spoiler struct {
	*rand.Rand
	every int
	// once limits the mistakes to one value of another type.
	once    bool
	spoiled bool
	// doubled is set if an object has a duplicate member. Its content does not show that.
	doubled bool
}

// newSpoiler returns a spoiler with the seed of the objects.
func newSpoiler(with *randfill.Filler) *spoiler {
	var seed uint64
	with.Fill(&seed)
	return &spoiler{Rand: rand.New(rand.NewSource(int64(seed))), every: 30}
}

// others has values that most fields do not accept.
var others = []string{
	`"x"`, `""`, `"?"`, `"YQ=="`, `"1Gi"`, `"2020-01-01T00:00:00Z"`, `true`, `7`, `-7`, `80.5`, `1.0`, `1e2`, `8000000000`, `99999999999999999999`,
	`null`, `{}`, `{"x":1}`, `{"x":{"y":null}}`, `[]`, `[1]`, `["x",null]`, `[{"x":1}]`, `[[1]]`,
}

func (w *spoiler) mistake() bool {
	if w.once && w.spoiled || w.Intn(w.every) != 0 {
		return false
	}
	w.spoiled = true
	return true
}

func (w *spoiler) value(to []byte, value any) []byte {
	if w.mistake() {
		return append(to, others[w.Intn(len(others))]...)
	}
	switch value := value.(type) {
	case map[string]any:
		return w.object(to, value, false)
	case []any:
		to = append(to, '[')
		for i, part := range value {
			if i > 0 {
				to = append(to, ',')
			}
			to = w.value(to, part)
		}
		return append(to, ']')
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(to, text...)
}

func (w *spoiler) object(to []byte, object map[string]any, root bool) []byte {
	to = append(to, '{')
	names := slices.Sorted(maps.Keys(object))
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	written := map[string]bool{}
	member := func(name string, value []byte) {
		w.doubled = w.doubled || written[name]
		written[name] = true
		if to[len(to)-1] != '{' {
			to = append(to, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			panic(err)
		}
		to = append(append(append(to, quoted...), ':'), value...)
	}
	for _, name := range names {
		if root && (name == "apiVersion" || name == "kind") {
			text, _ := json.Marshal(object[name])
			member(name, text)
			continue
		}
		member(name, w.value(nil, object[name]))
		if w.once {
			continue
		}
		switch w.Intn(w.every * 2) {
		case 0:
			member(name, w.value(nil, object[name]))
		case 1:
			member("unknown", w.value(nil, object[name]))
		case 2:
			member("Unknown", []byte(`{"a":1,"a":2}`))
		}
	}
	return append(to, '}')
}
