package jsonobj

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/thinformer/thinformer/internal/intern"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func planOf[T any](t testing.TB) *Plan {
	t.Helper()
	plan, err := PlanOf(reflect.TypeFor[T]())
	require.NoError(t, err)
	return plan
}

func decode[T any](t testing.TB, d *Decoder, document string) (*T, int, error) {
	t.Helper()
	v := new(T)
	n, err := d.Decode(planOf[T](t), []byte(document), v)
	return v, n, err
}

// widget is a typical type of a user.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas *int32            `json:"replicas"`
		Parts    []part            `json:"parts"`
		Sizes    map[string]part   `json:"sizes"`
		Colors   map[string]string `json:"colors"`
	} `json:"spec"`
}

// Promise: "When the slice ends first, the error is ErrShort and nothing else", at any
// position in the value.
func TestEveryPrefixIsShort(t *testing.T) {
	document := string(pod(t))
	for cut := range len(document) {
		for _, keep := range []bool{true, false} {
			d := &Decoder{KeepManagedFields: keep}
			_, _, err := decode[widget](t, d, document[:cut])
			require.ErrorIs(t, err, ErrShort, "widget, cut at %d", cut)
			_, _, err = decode[podLike](t, d, document[:cut])
			require.ErrorIs(t, err, ErrShort, "pod, cut at %d", cut)
			_, _, err = decode[unstructured.Unstructured](t, d, document[:cut])
			require.ErrorIs(t, err, ErrShort, "unstructured, cut at %d", cut)
		}
	}
	for i, name := range fieldNames(t) {
		for k, value := range values {
			if (i+k)%3 > 0 {
				continue // a third of all pairs covers each field and each value
			}
			document := fmt.Sprintf(`{%s:%s}`, name, value)
			for cut := range len(document) {
				_, err := new(Decoder).Decode(planOf[shapes](t), []byte(document[:cut]), new(shapes))
				require.ErrorIs(t, err, ErrShort, document[:cut])
			}
		}
	}
}

// Promise: "A document that does not fit the Go type is a ValueError, which affects
// only one item: the number of bytes to skip is returned with it", with its path.
func TestValueErrors(t *testing.T) {
	for document, want := range map[string]string{
		`{"spec":{"replicas":"3"}}`:                                  "a string does not fit int32 at byte 20, in spec.replicas",
		`{"spec":{"replicas":3.5}}`:                                  "the number 3.5 does not fit int32 at byte 20, in spec.replicas",
		`{"spec":{"replicas":3000000000}}`:                           "the number 3000000000 does not fit int32 at byte 20, in spec.replicas",
		`{"spec":{"parts":[{"a":"x"},{"a":"y","c":[{},{"b":{}}]}]}}`: "an object does not fit int at byte 50, in spec.parts[1].c[1].b",
		`{"spec":{"parts":{}}}`:                                      "an object does not fit []jsonobj.part at byte 17, in spec.parts",
		`{"spec":{"sizes":{"big one":{"a":1}}}}`:                     "a number does not fit a string at byte 33, in spec.sizes.big one.a",
		`{"spec":{"colors":{"\u0072ed":true}}}`:                      "a bool does not fit a string at byte 30, in spec.colors.red",
		`{"spec":[]}`:                                                "an array does not fit struct {",
		`[]`:                                                         "an array does not fit jsonobj.widget at byte 0",
		`{"metadata":{"creationTimestamp":"yesterday"}}`:             `a string does not fit v1.Time at byte 33, in metadata.creationTimestamp: parsing time "yesterday"`,
	} {
		data := "  " + document + "  {"
		_, n, err := decode[widget](t, new(Decoder), data)
		var value *ValueError
		require.ErrorAs(t, err, &value, document)
		require.Equal(t, len("  "+document), n)
		value.Offset -= 2
		require.Contains(t, err.Error(), want)
	}
	_, _, err := decode[shapes](t, new(Decoder), `{"mapint":{"1":"a","128":"b"}}`)
	require.EqualError(t, err, "a string does not fit the key of a map[int8]string at byte 19, in mapint.128: value out of range")
	_, _, err = decode[shapes](t, new(Decoder), `{"own":{"x":"refuse"}}`)
	require.EqualError(t, errors.Unwrap(err), "refused", "the error of the type is wrapped")
}

// Promise: "A document that is not JSON is a SyntaxError", with its offset.
func TestSyntaxErrors(t *testing.T) {
	for document, want := range map[string]string{
		`<html>`:                           "unexpected '<' instead of a value at byte 0",
		`{"spec":{"parts":[{"a":"x"},]}}`:  "unexpected ']' instead of a value at byte 28, in spec.parts[1]",
		`{"spec":{"parts":[{"a" "x"}]}}`:   "unexpected '\"' instead of a colon at byte 23, in spec.parts[0].a",
		`{"spec":{"parts":[{"a":"x"}}`:     "unexpected '}' instead of a comma or the end at byte 27, in spec.parts[0]",
		`{"spec":{"parts":[{a:"x"}]}}`:     "unexpected 'a' instead of a key at byte 19, in spec.parts[0]",
		`{"spec":{"parts":[{"a":"x` + "\n": "a control character in a string at byte 25, in spec.parts[0].a",
		`{"spec":{"replicas":01}}`:         "unexpected '1' instead of a comma or the end at byte 21, in spec.replicas",
		`{"spec":{"replicas":-}}`:          "unexpected '}' instead of a digit at byte 21, in spec.replicas",
		`{"spec":{"replicas":nil}}`:        "unexpected 'i' instead of the rest of null at byte 21, in spec.replicas",
		`{"spec":{"colors":{"a":"\q"}}}`:   "unexpected 'q' instead of an escape at byte 25, in spec.colors.a",
		`{"apiVersion":"v1" "kind":"x"}`:   "unexpected '\"' instead of a comma or the end at byte 19, in apiVersion",
		`{"metadata":{"managedFields":[}}`: "unexpected '}' instead of the matching closing bracket at byte 30, in metadata.managedFields[0]",
	} {
		_, n, err := decode[widget](t, new(Decoder), document)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, document)
		require.Zero(t, n)
		require.EqualError(t, err, "not JSON: "+want)
	}
	// Types that decode themselves receive only valid JSON.
	for _, bad := range []string{`{"a" 1}`, `[1,]`, `{"a":tru}`, `{"a":01}`, "[\"\x01\"]", `["\ud8"]`, `[1 2]`, `{1:2}`, `{"a":1,}`, `[-]`, `[1.]`, `[1e]`, `[.5]`} {
		for _, name := range []string{"own", "raw", "Ext", "fields", "quoted", "any"} {
			_, _, err := decode[shapes](t, new(Decoder), fmt.Sprintf(`{%q:%s}`, name, bad))
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax, "%s: %s", name, bad)
		}
	}
}

// See "Unchecked input" in doc.go.
func TestSkippedFieldsAreNotCheckedInFull(t *testing.T) {
	for _, lenient := range []string{`{"a" 1}`, `[1 2,,]`, `{"a":+-.e}`, "\"a\nb\"", `"\q"`, `truefalse`} {
		document := `{"kind":"x","unknown":` + lenient + `}`
		_, n, err := decode[widget](t, new(Decoder), document)
		if lenient == `truefalse` {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, document)
		require.Equal(t, len(document), n)
		require.False(t, json.Valid([]byte(document)))
	}
}

// Promise of Dropped: "the path of the first field that the last Decode passed
// over because the type does not have it".
func TestDroppedIsTheFirstUnknownField(t *testing.T) {
	d := &Decoder{Strings: intern.New()}
	for document, want := range map[string]string{
		`{"kind":"x","spec":{"replicas":1}}`:                                     "",
		`{"spec":{"replicas":1, "color" : "red","more":1}}`:                      "spec.color",
		`{"status":{},"spec":{"color":"red"}}`:                                   "status",
		`{"spec":{"parts":[{"a":"x"},{"c":[{},{},{"\u0064":[1,2]}]}]},"last":1}`: "spec.parts[1].c[2].d",
		`{"spec":{"sizes":{"s,{":{"x":1}}}}`:                                     "spec.sizes.s,{.x",
		`{"metadata":{"labels":{"a":"b"},"managedFields":[{"x":1}]}}`:            "",
		`{"metadata":{"managedFields":[{"x":1}],"newField":"a"}}`:                "metadata.newField",
		`{"Kind":"x"}`: "Kind",
		`{"":1}`:       `""`,
	} {
		_, _, err := decode[widget](t, d, document)
		require.NoError(t, err, document)
		require.Equal(t, want, d.Dropped(), document)
	}
}

// Dropped fields are recorded in maps with any keys, and behind pointers.
func TestDroppedInEveryContainer(t *testing.T) {
	d := new(Decoder)
	for document, want := range map[string]string{
		`{"mapuint":{"7":{"a":"b","no":1}}}`:       "mapuint.7.no",
		`{"mapstruct":{"k":{"no":1}}}`:             "mapstruct.k.no",
		`{"mapptr":{"k":{},"l":{"no":1}}}`:         "mapptr.l.no",
		`{"array":[{},{"no":1}]}`:                  "array[1].no",
		`{"array":[{},{},{},1]}`:                   "array[2]",
		`{"octets":[1,2,3]}`:                       "",
		`{"none":["x"]}`:                           "none[0]",
		`{"pointers":[null,{"c":[{"no":1}]}]}`:     "pointers[1].c[0].no",
		`{"tree":[{"index":{"a":{"no":1}}}]}`:      "tree[0].index.a.no",
		`{"tagged":{"in":"x","no":1}}`:             "tagged.no",
		`{"twice":{"no":1}}`:                       "twice.no",
		`{"depth":1,"deepest":["a"],"inlined":""}`: "",
		`{"any":{"no":1},"raw":{"no":1}}`:          "",
	} {
		for _, bound := range []int{0, 9} {
			d.MaxDepth = bound
			_, _, err := decode[shapes](t, d, document)
			require.NoError(t, err)
			require.Equal(t, want, d.Dropped(), document)
		}
	}
}

// nested has fields of its own type.
type nested struct {
	metav1.ObjectMeta `json:"metadata"`
	Parts             []nested `json:"parts"`
}

// Promise: "false: metadata.managedFields is skipped, and does not count as
// dropped", in the metadata of the top-level object only.
func TestManagedFieldsOfTheObjectAreSkipped(t *testing.T) {
	document := `{"kind":"k","metadata":{"name":"n","managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}],"uid":"u"},"managedFields":1,"spec":{"metadata":{"managedFields":["kept"]}}}`
	for _, keep := range []bool{false, true} {
		d := &Decoder{KeepManagedFields: keep}
		w, _, err := decode[widget](t, d, document)
		require.NoError(t, err)
		require.Equal(t, "u", string(w.UID))
		require.Equal(t, "managedFields", d.Dropped(), "the managedFields of the metadata do not count")
		require.Equal(t, keep, w.ManagedFields != nil)

		u, _, err := decode[unstructured.Unstructured](t, d, document)
		require.NoError(t, err)
		require.Equal(t, "u", string(u.GetUID()))
		require.Equal(t, keep, u.GetManagedFields() != nil)
		kept, found, err := unstructured.NestedSlice(u.Object, "spec", "metadata", "managedFields")
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, []any{"kept"}, kept)
		require.Contains(t, u.Object, "managedFields")

		// An object within an object has managedFields like any other field.
		n, _, err := decode[nested](t, d, `{"metadata":{"managedFields":[{"manager":"a"}]},"parts":[{"metadata":{"managedFields":[{"manager":"b"}]}}]}`)
		require.NoError(t, err)
		require.Equal(t, keep, n.ManagedFields != nil)
		require.Len(t, n.Parts[0].ManagedFields, 1)

		// For a type without this field it is not dropped.
		_, _, err = decode[slimLike](t, d, `{"metadata":{"name":"n","managedFields":[{"a":1}]}}`)
		require.NoError(t, err)
		require.Empty(t, d.Dropped())
	}
}

// managedFields are skipped for any Go type of the metadata.
func TestManagedFieldsOfAnyMetadata(t *testing.T) {
	requireManagedFieldsSkipped[struct {
		*metav1.ObjectMeta `json:"metadata"`
	}](t)
	requireManagedFieldsSkipped[struct {
		Meta **metav1.ObjectMeta `json:"metadata"`
	}](t)
	requireManagedFieldsSkipped[struct {
		Metadata map[string]any `json:"metadata"`
	}](t)
	requireManagedFieldsSkipped[struct {
		Metadata *map[types.UID]json.RawMessage `json:"metadata"`
	}](t)
	requireManagedFieldsSkipped[struct {
		Metadata any `json:"metadata"`
	}](t)
	requireManagedFieldsSkipped[struct {
		slimLike
		Metadata *struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}](t)
	type itself *itself
	_, err := PlanOf(reflect.TypeFor[struct {
		Metadata itself `json:"metadata"`
	}]())
	require.NoError(t, err)
}

// requireManagedFieldsSkipped decodes managedFields that do not fit their Go type, so
// that decoding them would fail.
func requireManagedFieldsSkipped[T any](t *testing.T) {
	t.Helper()
	for _, metadata := range []string{`"managedFields":[{"manager":"m"}],"name":"n"`, `"name":"n","managed\u0046ields" : [{"manager":"m"}] `, `"managedFields":[{"manager":"m"}]`} {
		document := `{"metadata":{` + metadata + `}}`
		d := new(Decoder)
		lean, n, err := decode[T](t, d, document)
		require.NoError(t, err, "%T", lean)
		require.Equal(t, len(document), n)
		require.Empty(t, d.Dropped(), "%T", lean)
		again, err := json.Marshal(lean)
		require.NoError(t, err)
		require.NotContains(t, string(again), "anage", "%T", lean)
		require.Equal(t, strings.Contains(metadata, "name"), strings.Contains(string(again), `"name":"n"`), "%T", lean)
		for cut := range len(document) {
			_, _, err := decode[T](t, d, document[:cut])
			require.ErrorIs(t, err, ErrShort)
		}
		d.KeepManagedFields = true
		_, _, err = decode[T](t, d, document)
		require.NoError(t, err)
	}
}

// Promise: "Depth is bounded", in decoded, skipped and raw values.
func TestDecodedDepthIsBounded(t *testing.T) {
	for _, into := range []string{"any", "tree", "raw", "unknown", "own", "mapint"} {
		for _, bound := range []int{0, 5} {
			levels := depthOf(bound) - 1
			open, shut := "[", "]"
			if into == "tree" {
				if levels%2 == 1 {
					levels--
				}
				open, shut, levels = `[{"children":`, "}]", levels/2
			}
			fits := fmt.Sprintf(`{%q:%snull%s}`, into, strings.Repeat(open, levels), strings.Repeat(shut, levels))
			d := &Decoder{MaxDepth: bound}
			_, _, err := decode[shapes](t, d, fits)
			if into != "mapint" {
				require.NoError(t, err, fits)
			}
			deeper := fmt.Sprintf(`{%q:%snull%s}`, into, strings.Repeat(open, levels+1), strings.Repeat(shut, levels+1))
			if into == "tree" && bound == 5 {
				deeper = fmt.Sprintf(`{%q:%snull%s}`, into, strings.Repeat(open, levels+2), strings.Repeat(shut, levels+2))
			}
			_, _, err = decode[shapes](t, d, deeper)
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax, deeper)
			require.Contains(t, err.Error(), fmt.Sprintf("nested deeper than %d levels", depthOf(bound)))
		}
	}
}

// Promise: "The value does not refer to the input".
func TestValuesDoNotReferToInput(t *testing.T) {
	for _, d := range []*Decoder{{KeepManagedFields: true}, {KeepManagedFields: true, Strings: intern.New()}} {
		data := pod(t)
		typed, free := new(podLike), new(unstructured.Unstructured)
		_, err := d.Decode(planOf[podLike](t), data, typed)
		require.NoError(t, err)
		_, err = d.Decode(planOf[unstructured.Unstructured](t), data, free)
		require.NoError(t, err)
		var odd, wantOdd shapes
		const document = `{"raw":{"a":[1]},"Ext":{"a":1},"fields":{"f:a":{}},"n":12,"bytes":"AAEC","q":"100Mi","is":"http","own":{"x":1},"text":"t","anys":["a",{"b":"c"}],"name":"n"}`
		raw := []byte(document)
		_, err = d.Decode(planOf[shapes](t), raw, &odd)
		require.NoError(t, err)
		for _, b := range [][]byte{data, raw} {
			for i := range b {
				b[i] = '!'
			}
		}
		wantTyped, wantFree := new(podLike), new(unstructured.Unstructured)
		require.NoError(t, apimachineryDecode(pod(t), wantTyped))
		require.NoError(t, apimachineryDecode(pod(t), wantFree))
		require.Equal(t, wantTyped, typed)
		require.Equal(t, wantFree, free)
		require.NoError(t, apimachineryDecode([]byte(document), &wantOdd))
		require.Equal(t, wantOdd, odd)
	}
}

// Decoded values are cached for long: slices have no spare capacity.
func TestSlicesHaveNoSpareCapacity(t *testing.T) {
	d := &Decoder{KeepManagedFields: true}
	typed, _, err := decode[podLike](t, d, string(pod(t)))
	require.NoError(t, err)
	walk(reflect.ValueOf(typed), func(v reflect.Value) {
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
			require.Equal(t, v.Len(), v.Cap(), v.Type())
		}
	})
}

func walk(v reflect.Value, visit func(reflect.Value)) {
	visit(v)
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Type() != reflect.TypeFor[metav1.Time]() {
			walk(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "Time" {
				walk(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	}
}

// A Decoder that has failed decodes the next value correctly.
func TestDecoderIsUsableAfterErrors(t *testing.T) {
	d := &Decoder{Strings: intern.New(), KeepManagedFields: true}
	document := `{"strings":["a","b","c"],"structs":[{"a":"x","c":[{"a":"y"}]}],"anys":[{"a":[1,2,{"b":"c"}]}],"labels":{"a":"b"},"tree":[{"name":"r","children":[{"name":"s"}]}]}`
	for cut := 1; cut < len(document); cut++ {
		for _, bad := range []string{document[:cut], document[:cut] + "\x00", document[:cut] + `"`, document[:cut] + "{}"} {
			_, _, err := decode[shapes](t, d, bad)
			require.Error(t, err)
		}
		requireSame(t, d, planOf[shapes](t), document)
		require.Zero(t, len(d.scratch.strings)+len(d.scratch.pairs)+len(d.scratch.values)+len(d.scratch.entries))
		for _, e := range d.scratch.slices {
			if e != nil {
				require.False(t, e.busy)
				for i := range e.slice.Len() {
					require.True(t, e.slice.Index(i).IsZero(), "the scratch space refers to no objects")
				}
			}
		}
	}
}

// Promise: "If a key occurs twice, the last one wins".
func TestDuplicateKeys(t *testing.T) {
	v, _, err := decode[shapes](t, new(Decoder), `{"s":"a","strings":["a","b"],"structs":[{"a":"x"}],"tree":[{"n":1}],"s":"b","strings":["c"],"structs":[{"b":1}],"any":{"a":1,"a":2},"labels":{"a":"1","a":"2"},"sp":"a","sp":null,"octets":[1,2,3],"octets":[4]}`)
	require.NoError(t, err)
	require.Equal(t, "b", v.S)
	require.Equal(t, []string{"c"}, v.Strings)
	one := 1
	require.Equal(t, []part{{B: &one}}, v.Structs)
	require.Equal(t, map[string]any{"a": int64(2)}, v.Any)
	require.Equal(t, map[string]string{"a": "2"}, v.Labels)
	require.Nil(t, v.SP)
	require.Equal(t, [3]byte{4}, v.Octets)
	w, _, err := decode[widget](t, new(Decoder), `{"metadata":{"name":"a","uid":"u"},"metadata":{"name":"b"}}`)
	require.NoError(t, err)
	require.Equal(t, "b", w.Name)
	require.Equal(t, "u", string(w.UID), "the second value is decoded into the first")
}

// The target must be a pointer to the type of the plan.
func TestWrongTargetIsAnError(t *testing.T) {
	plan := planOf[widget](t)
	for _, into := range []any{nil, widget{}, new(part), (*widget)(nil)} {
		_, err := new(Decoder).Decode(plan, []byte(`{}`), into)
		require.ErrorContains(t, err, "the plan is for another type")
	}
}

// Promise: "The error names the field that cannot be decoded".
func TestUnsupportedTypes(t *testing.T) {
	type inner struct {
		Events []chan int `json:"events"`
	}
	for _, c := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[struct {
			Spec *inner `json:"spec"`
		}](), "spec: events: a chan int cannot be decoded from JSON"},
		{reflect.TypeFor[struct{ Hook func() }](), "Hook: a func() cannot be decoded from JSON"},
		{reflect.TypeFor[struct{ C map[string]complex64 }](), "C: a complex64 cannot be decoded from JSON"},
		{reflect.TypeFor[struct{ M map[float64]string }](), "M: a map[float64]string cannot be decoded from JSON: a key is"},
		{reflect.TypeFor[string](), "not a struct, map, slice, array, interface or pointer"},
		{nil, "not a struct, map, slice, array, interface or pointer"},
	} {
		for range 2 {
			_, err := PlanOf(c.t)
			require.ErrorContains(t, err, c.want)
		}
	}
	_, err := PlanOf(reflect.TypeFor[struct {
		Hook func() `json:"-"`
		made chan int
	}]())
	require.NoError(t, err)
	first, second := planOf[widget](t), planOf[widget](t)
	require.Same(t, first, second)
}

// Promise: the field rules of encoding/json, for names that clash: fields of
// the same tag on one level hide each other, and a struct embedded twice on one
// level hides its own. (vet refuses such types in source.)
func TestFieldNameConflicts(t *testing.T) {
	type X struct {
		Same string `json:"same"`
		X    string
	}
	type Y struct {
		Same string `json:"same"`
		Y    string
	}
	type Z struct{ X }
	type W struct{ X }
	embed := func(types ...reflect.Type) reflect.Type {
		var fields []reflect.StructField
		for _, t := range types {
			fields = append(fields, reflect.StructField{Name: t.Name(), Type: t, Anonymous: true})
		}
		return reflect.StructOf(fields)
	}
	for _, typ := range []reflect.Type{
		embed(reflect.TypeFor[X](), reflect.TypeFor[Y]()),
		embed(reflect.TypeFor[Z](), reflect.TypeFor[W]()),
		embed(reflect.TypeFor[Z](), reflect.TypeFor[Y]()),
		embed(reflect.TypeFor[X](), reflect.TypeFor[Z]()),
	} {
		plan, err := PlanOf(typ)
		require.NoError(t, err)
		requireSame(t, new(Decoder), plan, `{"same":"s","X":"x","Y":"y","Same":"S"}`)
	}
}

// Reflection cannot set an embedded pointer to an unexported type.
func TestUnexportedEmbeddedPointerIsAnError(t *testing.T) {
	type outer struct {
		*embeds
		Other string `json:"other"`
	}
	_, n, err := decode[outer](t, new(Decoder), `{"other":"a","inlined":"b"}`)
	require.ErrorContains(t, err, "cannot set an embedded pointer to jsonobj.embeds, which is not exported")
	require.Equal(t, 27, n)
	require.Error(t, apimachineryDecode([]byte(`{"other":"a","inlined":"b"}`), new(outer)))
	requireSame(t, new(Decoder), planOf[outer](t), `{"other":"a"}`)
}

// An embedded struct that is not exported but has a name in JSON is decoded by
// its fields: encoding/json cannot call its methods.
func TestNamedEmbeddedStructIsDecodedByItsFields(t *testing.T) {
	type hiddenTime struct{ metav1.Time }
	type hiddenOwn struct {
		own
		Inner string `json:"inner"`
	}
	type outer struct {
		hiddenTime `json:"when"`
		hiddenOwn  `json:"own"`
		Other      string `json:"other"`
	}
	for _, document := range []string{
		`{"when":"2024-01-01T00:00:00Z"}`, `{"when":{}}`, `{"when":null,"own":null}`, `{"own":{"Got":"x","inner":"y"},"other":"z"}`, `{"own":[]}`,
	} {
		requireSame(t, new(Decoder), planOf[outer](t), document)
	}
}

// A struct that embeds a pointer to itself has each of its fields once.
func TestRecursiveEmbedding(t *testing.T) {
	type Loop struct {
		*Loop
		N int
	}
	requireSame(t, new(Decoder), planOf[Loop](t), `{"N":1,"Loop":{"N":2}}`)
}

// A type with a promoted UnmarshalJSON decodes itself, also as the whole object.
func TestObjectWithUnmarshalJSONDecodesItself(t *testing.T) {
	for _, document := range []string{`"2024-01-01T00:00:00Z"`, `{"other":"x"}`, `null`, `"x"`} {
		requireSame(t, new(Decoder), planOf[promoted](t), document)
		requireSame(t, new(Decoder), planOf[own](t), document)
		requireSame(t, new(Decoder), planOf[textual](t), document)
		requireSame(t, new(Decoder), planOf[unstructured.Unstructured](t), document)
	}
}

// Repeated strings are shared, and only through the table.
func TestRepeatedStringsAreShared(t *testing.T) {
	table := intern.New()
	d := &Decoder{Strings: table}
	document := `{"strings":["shared"],"labels":{"shared":"shared"},"s":"shared","any":"shared","name":"unlike","sp":"shared"}`
	a, _, err := decode[shapes](t, d, document)
	require.NoError(t, err)
	b, _, err := decode[shapes](t, d, document)
	require.NoError(t, err)
	all := []string{a.S, b.S, a.Strings[0], b.Strings[0], a.Labels["shared"], b.Labels["shared"], *a.SP, a.Any.(string), b.Any.(string)}
	require.Len(t, slices.CompactFunc(all, sameBytes), 1)
	c, _, err := decode[shapes](t, new(Decoder), document)
	require.NoError(t, err)
	require.False(t, sameBytes(c.S, c.Strings[0]))
}

// Strings that identify one object are not shared: they would evict repeated ones.
func TestUniqueStringsAreNotShared(t *testing.T) {
	d := &Decoder{Strings: intern.New()}
	document := `{"metadata":{"name":"n-1","uid":"u-1","resourceVersion":"17","namespace":"ns"},"status":{"podIP":"10.0.0.1","hostIP":"10.1.1.1"}}`
	a, _, err := decode[podLike](t, d, document)
	require.NoError(t, err)
	b, _, err := decode[podLike](t, d, document)
	require.NoError(t, err)
	for _, once := range [][2]string{{a.Name, b.Name}, {string(a.UID), string(b.UID)}, {a.ResourceVersion, b.ResourceVersion}, {a.Status.PodIP, b.Status.PodIP}} {
		require.Equal(t, once[0], once[1])
		require.False(t, sameBytes(once[0], once[1]), once[0])
	}
	require.True(t, sameBytes(a.Namespace, b.Namespace))
	require.True(t, sameBytes(a.Status.HostIP, b.Status.HostIP))

	u, _, err := decode[unstructured.Unstructured](t, d, document)
	require.NoError(t, err)
	v, _, err := decode[unstructured.Unstructured](t, d, document)
	require.NoError(t, err)
	require.False(t, sameBytes(u.GetName(), v.GetName()))
	require.False(t, sameBytes(string(u.GetUID()), string(v.GetUID())))
	require.True(t, sameBytes(u.GetNamespace(), v.GetNamespace()))
}

func FuzzDecode(f *testing.F) {
	f.Add(pod(f))
	for _, value := range values {
		f.Add([]byte(`{"any":` + value + `}`))
		f.Add([]byte(`{"structs":[` + value + `],"labels":` + value + `,"is":` + value + `}`))
	}
	for _, name := range fieldNames(f) {
		f.Add([]byte(`{` + name + `:{"a":"b","c":[1]}}`))
	}
	shared := &Decoder{Strings: intern.New(), KeepManagedFields: true}
	f.Fuzz(func(t *testing.T, document []byte) {
		document = bytes.TrimRight(document, " \n\t\r")
		comparable := json.Valid(document) && !repeatsKeys(document)
		for _, plan := range []*Plan{planOf[shapes](t), planOf[unstructured.Unstructured](t), planOf[podLike](t)} {
			if comparable {
				requireSame(t, shared, plan, string(document)+" ")
			}
			n, err := shared.Decode(plan, document, reflect.New(plan.typ).Interface())
			if err == nil && shared.Dropped() == "" && !json.Valid(document[:n]) {
				require.Fail(t, "invalid JSON was accepted", "%q", document[:n])
			}
			lean := &Decoder{MaxDepth: 20}
			_, _ = lean.Decode(plan, document, reflect.New(plan.typ).Interface())
		}
	})
}

// repeatsKeys reports whether an object in a valid document has a duplicate key.
func repeatsKeys(document []byte) bool {
	d := json.NewDecoder(bytes.NewReader(document))
	type frame struct {
		seen map[string]bool
		key  bool // the next token is a key
	}
	var open []frame
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		top := len(open) - 1
		if key, ok := token.(string); ok && top >= 0 && open[top].key {
			if open[top].seen[key] {
				return true
			}
			open[top].seen[key] = true
			open[top].key = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, frame{map[string]bool{}, true})
			continue
		case json.Delim('['):
			open = append(open, frame{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
			top--
		}
		if top >= 0 && open[top].seen != nil {
			open[top].key = true
		}
	}
}
