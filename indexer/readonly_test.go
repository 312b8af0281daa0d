package indexer_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// Promise: a Reader cannot write, and an Indexer that is constructed from a Reader
// cannot write either.
func TestIndexerOfAReaderIsReadOnly(t *testing.T) {
	key := func(s string) (string, error) { return s, nil }
	original := indexer.New(indexer.Options[string]{KeyFunc: key})
	require.NoError(t, original.Add("a"))
	original.Bookmark("1")

	constructed := &indexer.Indexer[string]{Reader: original.Reader}
	one := func(yield func(string, error) bool) { yield("b", nil) }
	values := func(string) []string { return nil }
	_, addIndex := constructed.AddIndex("by", values)
	_, addLabelIndex := constructed.AddLabelIndex("app")
	for write, err := range map[string]error{
		"Add": constructed.Add("b"), "Update": constructed.Update("b"), "Delete": constructed.Delete("a"),
		"Apply":    constructed.Apply([]indexer.Change[string]{{Object: "b"}}, "2"),
		"Replace":  constructed.Replace(one, nil),
		"AddIndex": addIndex, "AddLabelIndex": addLabelIndex,
		"AddIndexes": constructed.AddIndexes(map[string]func(string) []string{"by": values}),
	} {
		require.ErrorIs(t, err, indexer.ErrReadOnly, write)
	}
	require.PanicsWithValue(t, indexer.ErrReadOnly, func() { constructed.KeyedWriter() })
	constructed.Bookmark("2")

	require.Equal(t, "1", constructed.Version())
	require.Equal(t, 1, constructed.Len())
	_, stored := constructed.Get("a")
	require.True(t, stored)
	require.Empty(t, slices.Collect(original.Indexes()))
}
