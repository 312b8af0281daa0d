package indexer_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// "Who should only read gets ix.Reader, which cannot write, and of which nothing
// can be made that does."
func TestNothingThatWritesIsMadeOfAReader(t *testing.T) {
	key := func(s string) (string, error) { return s, nil }
	own := indexer.New(indexer.Options[string]{KeyFunc: key})
	require.NoError(t, own.Add("a"))
	own.Bookmark("1")

	made := &indexer.Indexer[string]{Reader: own.Reader}
	one := func(yield func(string, error) bool) { yield("b", nil) }
	values := func(string) []string { return nil }
	_, addIndex := made.AddIndex("by", values)
	_, addLabelIndex := made.AddLabelIndex("app")
	for write, err := range map[string]error{
		"Add": made.Add("b"), "Update": made.Update("b"), "Delete": made.Delete("a"),
		"Apply":    made.Apply([]indexer.Change[string]{{Object: "b"}}, "2"),
		"Replace":  made.Replace(one, nil),
		"AddIndex": addIndex, "AddLabelIndex": addLabelIndex,
		"AddIndexes": made.AddIndexes(map[string]func(string) []string{"by": values}),
	} {
		require.ErrorIs(t, err, indexer.ErrReadOnly, write)
	}
	require.PanicsWithValue(t, indexer.ErrReadOnly, func() { made.Keyed() })
	made.Bookmark("2")

	require.Equal(t, "1", made.Version())
	require.Equal(t, 1, made.Len())
	_, stored := made.Get("a")
	require.True(t, stored)
	require.Empty(t, slices.Collect(own.Indexes()))
}
