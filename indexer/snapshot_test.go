package indexer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// A write of objects increments the revision. A bookmark and a new index do not.
func TestRevisionCountsWrites(t *testing.T) {
	ix := indexer.New(indexer.Options[string]{KeyFunc: func(s string) (string, error) { return s, nil }})
	revisions := []uint64{ix.Snapshot().Revision()}
	record := func() { revisions = append(revisions, ix.Snapshot().Revision()) }
	require.NoError(t, ix.Add("a"))
	record()
	require.NoError(t, ix.Delete("a"))
	record()
	require.NoError(t, ix.Apply([]indexer.Change[string]{{Object: "b"}, {Object: "c"}}, "7"))
	record()
	require.NoError(t, ix.Replace(func(yield func(string, error) bool) { yield("d", nil) }, nil))
	record()
	ix.Bookmark("9")
	record()
	index, err := ix.AddIndex("first", func(s string) []string { return []string{s[:1]} })
	require.NoError(t, err)
	record()
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 4, 4}, revisions)
	require.True(t, index.BelongsTo(ix.Reader))
	require.False(t, index.BelongsTo(indexer.New(indexer.Options[string]{}).Reader))
}
