package deltafifo

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table grows with its keys, finds each of them, and shrinks when it empties, but not
// below the size that a busy queue needs again.
func TestKeyTableFollowsItsKeys(t *testing.T) {
	table := newKeyTable[int]()
	require.Len(t, table.buckets, firstBuckets)
	const keys = 10 * minBuckets
	for i := range keys {
		slot := table.find(strconv.Itoa(i))
		require.Nil(t, slot.state)
		table.fill(&slot)
		require.LessOrEqual(t, table.states, len(table.buckets))
		require.LessOrEqual(t, len(table.buckets), max(firstBuckets, 2*table.states))
	}
	for i := range keys {
		state := table.find(strconv.Itoa(i)).state
		require.NotNil(t, state, "key %d", i)
		require.Equal(t, strconv.Itoa(i), state.key)
		table.remove(state)
		require.Nil(t, table.find(strconv.Itoa(i)).state)
	}
	require.Zero(t, table.states)
	require.Len(t, table.buckets, minBuckets)
}
