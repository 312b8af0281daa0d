package jsonobj

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// many returns a JSON list with n copies of the item.
func many(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// heldBy recounts the memory of the slices in a decoder's scratch space.
func heldBy(d *Decoder) (size int) {
	for _, e := range d.scratch.slices {
		if e != nil {
			size += e.slice.Cap() * int(e.slice.Type().Elem().Size())
		}
	}
	return size
}

// The scratch space of one large object is not kept for the next objects.
func TestScratchSpaceIsBounded(t *testing.T) {
	// Each slice is within the limit, but their sum is not.
	half := maxHeld / 2
	parts := many(half/int(reflect.TypeFor[part]().Size()), "{}")
	trees := many(half/int(reflect.TypeFor[tree]().Size()), "{}")
	for what, document := range map[string]string{
		"one slice":       fmt.Sprintf(`{"structs":%s}`, many(20_000, "{}")),
		"several slices":  fmt.Sprintf(`{"structs":%s,"tree":%s,"bools":%s}`, parts, trees, many(half, "true")),
		"nested slices":   fmt.Sprintf(`{"structs":[{"c":%s},{"c":[{"c":%s}]}]}`, many(20_000, "{}"), many(20_000, "{}")),
		"strings":         fmt.Sprintf(`{"strings":%s}`, many(2*spare, `"x"`)),
		"pairs":           fmt.Sprintf(`{"labels":{%s"a":"b"}}`, strings.Repeat(`"a":"b",`, 2*spare)),
		"values":          fmt.Sprintf(`{"any":%s}`, many(2*spare, "1")),
		"entries":         fmt.Sprintf(`{"any":{%s"a":1}}`, strings.Repeat(`"a":1,`, 2*spare)),
		"text":            fmt.Sprintf(`{"s":"\u0041%s"}`, strings.Repeat("x", 1<<20)),
		"failed document": fmt.Sprintf(`{"structs":%s,"strings":%s`, many(20_000, "{}"), many(2*spare, `"x"`)),
	} {
		d := new(Decoder)
		_, _, _ = decode[shapes](t, d, document)
		require.LessOrEqual(t, heldBy(d), maxHeld, what)
		require.Equal(t, heldBy(d), int(d.scratch.held), what)
		require.LessOrEqual(t, cap(d.scratch.strings), spare, what)
		require.LessOrEqual(t, cap(d.scratch.pairs), spare, what)
		require.LessOrEqual(t, cap(d.scratch.values), spare, what)
		require.LessOrEqual(t, cap(d.scratch.entries), spare, what)
		require.LessOrEqual(t, cap(d.text), 1<<16, what)
	}
}

// The scratch space of objects of the usual size is kept.
func TestScratchSpaceIsKept(t *testing.T) {
	d := new(Decoder)
	document := fmt.Sprintf(`{"structs":%s,"strings":%s,"labels":{"a":"b"},"any":{"a":[1]}}`, many(20, "{}"), many(20, `"x"`))
	_, _, err := decode[shapes](t, d, document)
	require.NoError(t, err)
	require.NotZero(t, heldBy(d))
	require.NotZero(t, cap(d.scratch.strings)*cap(d.scratch.pairs)*cap(d.scratch.values)*cap(d.scratch.entries))
	held := heldBy(d)
	_, _, err = decode[shapes](t, d, document)
	require.NoError(t, err)
	require.Equal(t, held, heldBy(d))
	require.Equal(t, held, int(d.scratch.held))
	_, _, err = decode[unstructured.Unstructured](t, d, document)
	require.NoError(t, err)
	require.Zero(t, d.scratch.held, "a decoder has scratch space for one type at a time")
}
