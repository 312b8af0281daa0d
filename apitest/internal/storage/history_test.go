package storage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/modeltest"
)

// The history of a table retains no more bytes than its limit, for any objects,
// and always the newest change: a follower that keeps up misses nothing.
func TestHistoryIsBoundedInBytes(t *testing.T) {
	const limit = 10_000
	s := New(100, limit)
	table := s.Table(benchTable)
	reader, err := table.Follow(s.Current())
	require.NoError(t, err)
	write := func(size int) *Record {
		k := Key{"default", "a"}
		now, err := table.Commit(k, table.Get(k), modeltest.ConfigMap(t, k.Namespace, k.Name, strings.Repeat("x", size), nil))
		require.NoError(t, err)
		changes, err := reader.Next()
		require.NoError(t, err)
		require.Len(t, changes, 1)
		require.Equal(t, now, changes[0].New)
		return now
	}
	retained := func() (n int) {
		for i := range table.history.count {
			n += table.history.at(i).bytes()
		}
		require.Equal(t, n, table.history.heldBytes)
		return n
	}
	for range 100 {
		write(1_000)
		require.LessOrEqual(t, retained(), limit)
	}
	require.Greater(t, retained(), limit/2, "the limit should be used")
	behind := s.Current() - uint64(table.history.count) - 1
	_, err = table.Follow(behind)
	require.ErrorAs(t, err, &TooOld{}, "removed changes must be reported")

	write(2 * limit)
	write(2 * limit)
	require.Equal(t, 1, table.history.count)
	_, err = table.Remove(table.Get(Key{"default", "a"}))
	require.NoError(t, err)
	require.Equal(t, 1, table.history.count)
	require.Greater(t, retained(), 4*limit, "a deletion retains its former state and its last state")

	_, err = reader.Next()
	require.NoError(t, err)

	write(limit)
	write(0)
	require.Positive(t, retained())
	require.NoError(t, s.Rewind(s.Current()-1))
	require.Zero(t, retained(), "undone changes are released")
}
