package deltafifo

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Promise: the queue releases the memory of a backlog after its processing: nodes,
// key states, the hash table and the buffers of the consumers.
func TestMemoryOfTheBacklogIsReleased(t *testing.T) {
	const backlog = 100_000
	payload := func(i int) *[256]byte { return &[256]byte{byte(i), byte(i >> 8), byte(i >> 16)} }
	for _, batch := range []bool{false, true} {
		q := New(Options[*[256]byte]{KeyFunc: func(p *[256]byte) (string, error) { return fmt.Sprint(p[0], p[1], p[2]), nil }})
		before := liveHeap()
		for i := range backlog {
			require.NoError(t, q.Add(payload(i)))
		}
		require.Greater(t, liveHeap()-before, int64(backlog*256), "memory of the backlog")
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
		require.Len(t, q.keys.buckets, minBuckets)
		for _, d := range q.idleDeliveries {
			require.LessOrEqual(t, cap(d.deltas), maxIdleDeltas)
			for _, delta := range d.deltas[:cap(d.deltas)] {
				require.Nil(t, delta.Object, "an idle buffer refers to an object")
			}
		}
		runtime.KeepAlive(q)
	}
}

// Promise: consecutive bookmarks are one marker, so they need no memory while no
// consumer is active.
func TestBookmarksAreMerged(t *testing.T) {
	q, _ := newQueue()
	for i := range 1000 {
		q.Bookmark(fmt.Sprint(i))
	}
	d := q.tryBegin(true, 0)
	require.Equal(t, []Marker{{Bookmark, "999", 0}}, d.batchInfo.Markers)
}

// liveHeap returns the size of the live heap. It collects twice, because a
// sync.Pool releases its objects only in the second collection.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
