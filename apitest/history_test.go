package apitest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The history of a table keeps no more bytes than it has room for, whatever the
// objects are like, and always the newest change: who reads along misses nothing.
func TestHistoryIsBoundedInBytes(t *testing.T) {
	const room = 10_000
	s := newStore(100, room)
	table := s.table(benchTable)
	reader, err := table.follow(s.current())
	require.NoError(t, err)
	write := func(size int) *record {
		now := put(t, table, key{"default", "a"}, strings.Repeat("x", size), nil)
		changes, err := reader.next()
		require.NoError(t, err)
		require.Len(t, changes, 1)
		require.Equal(t, now, changes[0].now)
		return now
	}
	kept := func() (n int) {
		for i := range table.history.count {
			n += table.history.at(i).bytes()
		}
		require.Equal(t, n, table.history.held)
		return n
	}
	for range 100 {
		write(1_000)
		require.LessOrEqual(t, kept(), room)
	}
	require.Greater(t, kept(), room/2, "it is used, too")
	behind := s.current() - uint64(table.history.count) - 1
	_, err = table.follow(behind)
	require.ErrorAs(t, err, &tooOld{}, "what was forgotten is not passed over")

	write(2 * room)
	write(2 * room)
	require.Equal(t, 1, table.history.count)
	_, err = table.remove(table.get(key{"default", "a"}))
	require.NoError(t, err)
	require.Equal(t, 1, table.history.count)
	require.Greater(t, kept(), 4*room, "a deletion keeps the state before it and the one that is shown")

	_, err = reader.next()
	require.NoError(t, err)

	write(room)
	write(0)
	require.Positive(t, kept())
	require.NoError(t, s.rewind(s.current()-1))
	require.Zero(t, kept(), "what is undone is given up")
}
