package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// Invalid UTF-8, duplicate keys and numbers out of range have the same result as in
// apimachinery, or lose one item. They never end the stream.
func TestInvalidValuesDoNotEndAList(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	items, lost, _, err := listOfJSON(t, c, listWithItems(`[`+
		`{"metadata":{"name":"invalid `+"\xff\xfe"+` utf-8 \ud800"}},`+
		`{"metadata":{"name":"one"},"metadata":{"name":"two"}},`+
		`{"metadata":{"name":"range"},"spec":{"size":3000000000}},`+
		`{"metadata":{"name":"fraction"},"spec":{"size":1.5}},`+
		`{"metadata":{"name":"last"}}]`))
	require.NoError(t, err)
	require.Len(t, items, 3)
	require.Equal(t, "invalid \ufffd\ufffd utf-8 \ufffd", items[0].(*wiretest.Widget).Name)
	require.Equal(t, "two", items[1].(*wiretest.Widget).Name)
	require.Equal(t, "last", items[2].(*wiretest.Widget).Name)
	require.Len(t, lost, 2)
	require.Equal(t, "range", lost[0].Name)
	require.ErrorContains(t, lost[0], "in spec.size")
	require.Equal(t, "fraction", lost[1].Name)
}
