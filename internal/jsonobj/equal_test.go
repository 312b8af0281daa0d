package jsonobj

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/thinformer/thinformer/internal/intern"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Promise: "On every valid document the value equals what apimachinery's JSON
// serializers make of it": null, wrong types, limits of each type and unusual but
// valid JSON, in every field.
func TestEveryFieldEqualsApimachinery(t *testing.T) {
	plan, err := PlanOf(reflect.TypeFor[shapes]())
	require.NoError(t, err)
	decoder := &Decoder{Strings: intern.New(), KeepManagedFields: true}
	for _, name := range fieldNames(t) {
		for _, value := range values {
			requireSame(t, decoder, plan, fmt.Sprintf(`{%s:%s}`, name, value))
			requireSame(t, decoder, plan, fmt.Sprintf("\t{ %s \n:\r %s , \"b\" : true } ", name, value))
			for _, around := range []string{`[%s]`, `[%[1]s,%[1]s,%[1]s,%[1]s,%[1]s,null]`, `{"a":%s}`, `{"1":%s,"a":null}`, `{"time":%s}`, `{"1":%[1]s,"-3":%[1]s}`} {
				requireSame(t, decoder, plan, fmt.Sprintf(`{%s:`+around+`}`, name, value))
			}
		}
	}
}

// values are decoded into every field. Most of them do not fit a given field.
var values = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `127`, `128`, `-128`, `-129`, `255`, `256`, `65535`, `65536`, `2147483647`, `2147483648`, `-2147483649`,
	`4294967295`, `4294967296`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`, `18446744073709551615`, `18446744073709551616`,
	`123456789012345678`, `1234567890123456789`, `1.0`, `1.5`, `-1.5e3`, `1E5`, `1e5`, `1e-5`, `1e400`, `-1e400`, `3.5e38`, `1e-400`, `0.1`, `0e0`, `100000000000000000000`,
	`""`, `"a"`, `"1"`, `"-1"`, `"1.5"`, `"true"`, `"null"`, `"\"quoted\""`, `"\"\""`, `"refuse"`, `"abc def"`, `"AAEC"`, `"AA=="`, `"A"`, `"AAEC\nAAEC"`,
	`"\u0041\n\t\r\b\f\/\\\""`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83d\u0041"`, `"\ud83dx"`, `"über"`, "\"a\xffb\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\x7f\"", `"\u0000"`, `"\uFFFD"`, `"\ud800\ud800\udc00"`,
	`"a string that is longer than what the tables of shared strings keep, so it is a copy"`,
	`"2024-02-29T23:59:59Z"`, `"2023-02-29T00:00:00Z"`, `"1969-12-31T23:59:59Z"`, `"0000-01-01T00:00:00Z"`, `"0000-03-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`, `"2024-01-01T24:00:00Z"`, `"2024-13-01T00:00:00Z"`, `"2024-01-01T00:00:60Z"`, `"2024-1-01T00:00:00ZZ"`,
	`"2024-01-01T00:00:00.123456Z"`, `"2024-01-01T00:00:00.1Z"`, `"2024-01-01T00:00:00.1x3456Z"`, `"2024-01-01T00:00:00.12x456Z"`, `"2024-01-01T00:00:00.12345xZ"`, `"2024-01-01T00:00:00x123456Z"`, `"2025-02-29T00:00:00Z"`, `"202x-01-01T00:00:00Z"`, `"2024x01-01T00:00:00Z"`, `"2024-01x01T00:00:00Z"`, `"2024-01-01x00:00:00Z"`, `"2024-01-01T00x00:00Z"`, `"2024-01-01T00:00x00Z"`, `"2024-01-01T00:0x:00Z"`, `"2024-0x-01T00:00:00Z"`, `"2024-01-0xT00:00:00Z"`, `"2024-01-01T0x:00:00Z"`, `"x024-01-01T00:00:00Z"`, `"2024-01-01T00:60:00Z"`, `"2024-00-01T00:00:00Z"`, `"2024-01-00T00:00:00Z"`, `"2024-04-31T00:00:00Z"`, `"2024-01-01T00:00:0:Z"`, `"2024-01-01T00:00:00.123456+02:00"`, `"2024-01-01T00:00:00+02:00"`, `"2024-01-01T00:00:00,123456Z"`, `"2024-01-01t00:00:00z"`, `"1900-02-28T00:00:00Z"`, `"1900-02-29T00:00:00Z"`, `"2000-02-29T00:00:00Z"`, `"2024-01-01T00:00:00Y"`, `"2024-01-01\u005400:00:00Z"`,
	`"100m"`, `"1Gi"`, `" 1Gi "`, `"1.5Gi"`, `"1e3"`, `"12345678901234567890123"`, `"0"`, `"1\u0047"`, `"1h2m"`, `"0.0001"`, `"1e-99999999"`, `1e-99999999`,
	`{}`, `[]`, ` { } `, ` [ ] `, `[ [ ] , { } ]`, `{"a":"x","b":1,"c":[{"a":"y"},{"b":null}]}`, `{"":"","a":"b"}`, `{"A":"x","a ":"y","\u0061":"z"}`,
	`{"name":"r","children":[{"name":"a","children":[{"name":"b"},{"n":3}]},{"name":"c"}],"parent":{"parent":{"children":[{"n":1},{"n":2},{"n":3},{"n":4},{"n":5},{"n":6}]}},"index":{"k":{"n":1,"index":{"l":{"n":2}}}}}`,
	`["a","b","c","d","e","f","g","h","i","j"]`, `[1,2,3,4]`, `[true,false,null]`, `[null,null]`, `[[["deep"]]]`, `["a",1]`, `[1,"a",{},[],null,1.5,true]`,
	`{"in":"x","same":"s","Both":"b","wins":"w","Wins":"W","Third":"T","third":"t"}`,
	`{"a":{"b":{"c":[1,{"d":null}]}}}`, `{"x":1,"y":2,"z":3,"p":4,"q":5,"r":6,"s":7,"t":8,"u":9,"v":10}`,
	`{"name":"n","uid":"u","labels":{"a":"b"},"ownerReferences":[{"uid":"1","controller":true}],"creationTimestamp":null,"managedFields":[{"manager":"m","time":"2024-01-01T00:00:00Z","fieldsV1":{"f:a":{}}}]}`,
	`{"key\u0020with":"escapes","größe":"x"}`, `{"a":"1","b":"2","c":"3","d":"4","e":"5","f":"6","g":"7","h":"8","i":"9"}`,
	`{"1":"one","-1":"minus","127":"max"}`, `{"128":"over"}`, `{"70000":{}}`, `{"x":"100m","y":1}`,
}

// fieldNames returns the quoted names of the fields of shapes, and some names that it
// does not have.
func fieldNames(t testing.TB) []string {
	names := []string{`"unknown"`, `""`, `"S"`, `"Hidden"`, `"inner"`, `"embeds"`, `"Further"`, `"Deep"`, `"longNameTheSameC"`, `"longNameTheSame"`, `"\u0073"`, `"gr\u00f6\u00dfe"`, `"ünicode"`, "\"\xff\"", `"metadata"`, `"-"`, `"bad\"tag"`, `"BadTag"`}
	for _, f := range planOf[shapes](t).root.fields.list {
		names = append(names, quoteName(f.name))
	}
	return names
}

func quoteName(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// requireSame decodes a valid document with both decoders and fails unless they agree.
func requireSame(t *testing.T, decoder *Decoder, plan *Plan, document string) {
	t.Helper()
	want, got := reflect.New(plan.typ).Interface(), reflect.New(plan.typ).Interface()
	n, err := decoder.Decode(plan, []byte(document), got)
	if refused(err) || err != nil && strings.Contains(document, costly) {
		// apimachinery would compute for minutes, even if an earlier value does not
		// fit, because it continues after errors.
		require.Equal(t, len(strings.TrimRight(document, " ")), n, document)
		return
	}
	wantErr := apimachineryDecode([]byte(document), want)
	if wantErr != nil {
		value := (*ValueError)(nil)
		if !errors.As(err, &value) {
			require.Failf(t, "should not fit", "%s\napimachinery: %v\nDecoder: %v", document, wantErr, err)
		}
	} else {
		require.NoError(t, err, document)
		if !reflect.DeepEqual(want, got) {
			require.Equal(t, want, got, document)
			require.Fail(t, "different", document)
		}
	}
	require.Equal(t, len(strings.TrimRight(document, " ")), n, document)
}

// costly is a quantity that apimachinery takes minutes to parse.
const costly = "1e-99999999"

// refused reports whether a quantity was rejected as too expensive to parse.
func refused(err error) bool {
	value := (*ValueError)(nil)
	return errors.As(err, &value) && value.Err != nil && strings.HasPrefix(value.Err.Error(), "quantity ")
}

// apimachineryDecode decodes as apimachinery does. An Unstructured without a kind is
// not an error here: items of lists have the kind of the list.
func apimachineryDecode(document []byte, into any) error {
	if u, ok := into.(*unstructured.Unstructured); ok {
		u.Object = map[string]any{}
		return utiljson.Unmarshal(document, &u.Object)
	}
	return utiljson.Unmarshal(document, into)
}

// The same promise for documents with many fields, most of which fit.
func TestRandomDocumentsEqualApimachinery(t *testing.T) {
	typed, err := PlanOf(reflect.TypeFor[shapes]())
	require.NoError(t, err)
	free, err := PlanOf(reflect.TypeFor[unstructured.Unstructured]())
	require.NoError(t, err)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := &generator{rand.New(rand.NewPCG(seed, 0))}
	shared := &Decoder{Strings: intern.New(), KeepManagedFields: true}
	plain := &Decoder{KeepManagedFields: true}
	for range 2000 {
		document := random.object(reflect.TypeFor[shapes](), 3)
		requireSame(t, shared, typed, document)
		requireSame(t, shared, free, document)
		requireSame(t, plain, typed, document)
	}
}

// generator generates documents that mostly fit a type.
type generator struct{ *rand.Rand }

func (g *generator) object(t reflect.Type, depth int) string {
	plan, err := PlanOf(t)
	if err != nil {
		panic(err)
	}
	return g.fields(plan.root, depth)
}

func (g *generator) space() string {
	if g.IntN(8) > 0 {
		return ""
	}
	return []string{" ", "\n", "\t\r\n  "}[g.IntN(3)]
}

func (g *generator) fields(n *node, depth int) string {
	var b strings.Builder
	b.WriteString("{" + g.space())
	first := true
	write := func(name, value string) {
		if !first {
			b.WriteString(g.space() + "," + g.space())
		}
		first = false
		b.WriteString(quoteName(name) + g.space() + ":" + g.space() + value)
	}
	list := n.fields.list
	start := 0
	if len(list) > 0 && g.IntN(3) == 0 {
		start = g.IntN(len(list))
	}
	for k := range list {
		f := &list[(k+start)%len(list)]
		if g.IntN(3) == 0 {
			write(f.name, g.value(f.node, depth-1))
		}
	}
	if g.IntN(4) == 0 {
		write("unknown", g.anything(depth))
	}
	b.WriteString(g.space() + "}")
	return b.String()
}

func (g *generator) value(n *node, depth int) string {
	switch {
	case depth < 0 || g.IntN(20) == 0:
		return "null"
	case g.IntN(400) == 0:
		return g.anything(depth)
	}
	switch n.mode {
	case asStruct:
		return g.fields(n, depth)
	case asPointer:
		return g.value(n.elem, depth)
	case asSlice, asStrings, asArray:
		return g.list(func() string { return g.value(n.elem, depth-1) })
	case asMap, asStringMap, asQuantityMap:
		return g.entries(func() string { return g.value(n.elem, depth-1) })
	case asString:
		return g.text()
	case asBool:
		return []string{"true", "false"}[g.IntN(2)]
	case asInt, asInt8, asInt16, asInt32, asInt64, asUint, asUint8, asUint16, asUint32, asUint64, asFloat32, asFloat64, asNumber:
		return fmt.Sprint(g.IntN(128))
	case asTime:
		return fmt.Sprintf(`"%04d-%02d-%02dT%02d:%02d:%02dZ"`, g.IntN(10000), 1+g.IntN(12), 1+g.IntN(28), g.IntN(24), g.IntN(60), g.IntN(60))
	case asMicroTime:
		return fmt.Sprintf(`"2024-%02d-%02dT01:02:03.%06dZ"`, 1+g.IntN(12), 1+g.IntN(28), g.IntN(1000000))
	case asQuantity:
		return fmt.Sprintf(`"%d%s"`, g.IntN(5000), []string{"", "m", "Ki", "Gi", "M", "e3"}[g.IntN(6)])
	case asBytes:
		b, _ := json.Marshal([]byte(g.text()))
		return string(b)
	case asAny, asRaw, asRawExtension, asFieldsV1:
		return g.anything(depth)
	}
	return "null"
}

func (g *generator) list(item func() string) string {
	items := make([]string, g.IntN(4)*g.IntN(4))
	for i := range items {
		items[i] = g.space() + item()
	}
	return "[" + strings.Join(items, ",") + g.space() + "]"
}

func (g *generator) entries(item func() string) string {
	items := make([]string, g.IntN(4)*g.IntN(4))
	for i := range items {
		items[i] = fmt.Sprintf(`%s"key%d":%s`, g.space(), i, item())
	}
	return "{" + strings.Join(items, ",") + g.space() + "}"
}

func (g *generator) text() string {
	pieces := []string{"a", "label", "app.kubernetes.io/name", `\n`, `\u00e4`, `\ud83d\ude00`, `\udead`, "ü", "\xff", "世界", `\\`, `\"`, " "}
	var b strings.Builder
	for range g.IntN(4) * g.IntN(3) {
		b.WriteString(pieces[g.IntN(len(pieces))])
	}
	return `"` + b.String() + `"`
}

func (g *generator) anything(depth int) string {
	if depth <= 0 {
		return values[g.IntN(40)]
	}
	switch g.IntN(6) {
	case 0:
		return g.list(func() string { return g.anything(depth - 1) })
	case 1:
		return g.entries(func() string { return g.anything(depth - 1) })
	case 2:
		return g.text()
	}
	return strings.TrimSpace(string(bytes.ReplaceAll([]byte(values[g.IntN(len(values))]), []byte(`1e400`), []byte(`1`))))
}
