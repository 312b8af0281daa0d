package deltafifo

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Promise: memory follows the backlog down again: nodes, key states, the table
// and the buffers of the consumers.
func TestMemoryFollowsTheBacklog(t *testing.T) {
	const backlog = 100_000
	payload := func(i int) *[256]byte { return &[256]byte{byte(i), byte(i >> 8), byte(i >> 16)} }
	for _, batch := range []bool{false, true} {
		q := New(Options[*[256]byte]{KeyFunc: func(p *[256]byte) (string, error) { return fmt.Sprint(p[0], p[1], p[2]), nil }})
		before := liveHeap()
		for i := range backlog {
			require.NoError(t, q.Add(payload(i)))
		}
		require.Greater(t, liveHeap()-before, int64(backlog*256), "the backlog is not small")
		for q.Len() > 0 {
			var err error
			if batch {
				err = q.PopBatch(background, 0, func([]Delta[*[256]byte], Batch) error { return nil })
			} else {
				err = q.Pop(background, func(string, Deltas[*[256]byte], bool) error { return nil })
			}
			require.NoError(t, err)
		}
		require.Less(t, liveHeap()-before, int64(1<<20), "batch: %v", batch)
		require.Len(t, q.keys.buckets, smallTable)
		for _, h := range q.idle {
			require.LessOrEqual(t, cap(h.deltas), keptDeltas)
			for _, d := range h.deltas[:cap(h.deltas)] {
				require.Nil(t, d.Object, "an idle buffer pins an object")
			}
		}
		runtime.KeepAlive(q)
	}
}

// A consumer who stands still pays nothing for bookmarks.
func TestBookmarksDoNotPileUp(t *testing.T) {
	q, _ := newThings()
	for i := range 1000 {
		q.Bookmark(fmt.Sprint(i))
	}
	h := q.tryBegin(true, 0)
	require.Equal(t, []Marker{{Bookmark, "999", 0}}, h.about.Markers)
}

// liveHeap collects twice, because a sync.Pool lets go only then.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
