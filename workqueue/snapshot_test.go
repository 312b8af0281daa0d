package workqueue

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A snapshot has the waiting items in the order of Get, the items being processed, which
// may be dirty, and the delayed items by due time.
func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewPriorityQueue(PriorityQueueConfig[string]{})
		start := time.Now()
		q.Add("dirty")
		q.Add("clean")
		for range 2 {
			q.Get()
		}
		q.Add("dirty")
		q.AddWithPriority("low", -1)
		q.AddWithPriority("high", 1)
		q.Add("normal")
		q.AddAfter("later", time.Hour)
		q.AddAfter("soon", time.Minute)
		q.AddAfter("clean", time.Second)

		s := q.Snapshot(-1)
		require.ElementsMatch(t, []ProcessingItem[string]{{"dirty", true}, {"clean", false}}, s.Processing)
		s.Processing = nil
		require.Equal(t, Snapshot[string]{
			Waiting: []string{"high", "normal", "low"}, WaitingCount: 3, ProcessingCount: 2, DirtyCount: 1,
			Delayed: []DelayedItem[string]{{"clean", start.Add(time.Second)}, {"soon", start.Add(time.Minute)}, {"later", start.Add(time.Hour)}}, DelayedCount: 3,
		}, s)

		s = q.Snapshot(1)
		require.Equal(t, []string{"high"}, s.Waiting)
		require.Len(t, s.Processing, 1)
		require.Equal(t, []DelayedItem[string]{{"clean", start.Add(time.Second)}}, s.Delayed)
		require.Equal(t, []int{3, 2, 1, 3}, []int{s.WaitingCount, s.ProcessingCount, s.DirtyCount, s.DelayedCount})
		require.Equal(t, Snapshot[string]{
			Waiting: []string{}, WaitingCount: 3, Processing: []ProcessingItem[string]{}, ProcessingCount: 2, DirtyCount: 1,
			Delayed: []DelayedItem[string]{}, DelayedCount: 3,
		}, q.Snapshot(0))
		q.ShutDown()
		require.Zero(t, q.Snapshot(-1).DelayedCount)
	})
}

// SnapshotOf finds the queue below the types of this package, and a Snapshotter.
func TestSnapshotOf(t *testing.T) {
	for name, q := range map[string]TypedInterface[int]{
		"typed":         NewTyped[int](),
		"delaying":      NewTypedDelayingQueue[int](),
		"rate limiting": NewTypedRateLimitingQueue[int](nil),
		"priority":      NewPriorityQueue(PriorityQueueConfig[int]{}),
		"own queue":     NewTypedWithConfig(TypedQueueConfig[int]{Queue: DefaultQueue[int]()}),
		"around a Snapshotter": NewTypedRateLimitingQueueWithConfig(nil, TypedRateLimitingQueueConfig[int]{
			DelayingQueue: NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[int]{Queue: wrappedQueue{NewTyped[int]()}}),
		}),
	} {
		t.Run(name, func(t *testing.T) {
			q.Add(1)
			s, ok := SnapshotOf(q, 10)
			require.True(t, ok)
			require.Equal(t, []int{1}, s.Waiting)
			q.ShutDown()
		})
	}
	opaque := struct{ TypedInterface[int] }{NewTyped[int]()}
	_, ok := SnapshotOf[int](opaque, 10)
	require.False(t, ok)
	_, ok = SnapshotOf[int](NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[int]{Queue: opaque}), 10)
	require.False(t, ok)
}

// The delayed items of a large queue are in order, also after some delays were shortened.
func TestSnapshotOfManyDelayedItems(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	q := NewTypedDelayingQueue[int]().(*delayingQueue[int])
	defer q.ShutDown()
	for item := range 2000 {
		q.AddAfter(item, time.Hour+time.Duration(random.IntN(1e9)))
	}
	for range 2000 {
		q.AddAfter(random.IntN(2000), time.Hour+time.Duration(random.IntN(1e9)))
	}
	all := q.Snapshot(-1).Delayed
	require.Len(t, all, 2000)
	seen := map[int]bool{}
	for i, item := range all {
		seen[item.Item] = true
		if i > 0 && item.Due.Before(all[i-1].Due) {
			t.Fatalf("item %d is due before item %d", i, i-1)
		}
	}
	require.Len(t, seen, 2000)
	require.Equal(t, all[:7], q.Snapshot(7).Delayed)
}

// More items than inProgress records can be processed at once.
func TestSnapshotOfManyProcessedItems(t *testing.T) {
	q := NewTyped[int]()
	defer q.ShutDown()
	for item := range maxInProgress + 10 {
		q.Add(item)
		q.Get()
	}
	for item := range maxInProgress {
		q.Done(item)
	}
	var left []int
	for _, p := range q.Snapshot(-1).Processing {
		left = append(left, p.Item)
	}
	slices.Sort(left)
	require.Len(t, left, 10)
	require.Equal(t, maxInProgress, left[0])
	require.Len(t, q.Snapshot(3).Processing, 3)
}

// BenchmarkSnapshot measures a snapshot with 100 items of each kind of a queue with
// 200,000 items.
func BenchmarkSnapshot(b *testing.B) {
	q := NewPriorityQueue(PriorityQueueConfig[string]{})
	defer q.ShutDown()
	for i, key := range benchKeys {
		q.Add(key)
		q.AddAfter(key, time.Hour+time.Duration(i))
	}
	for range 8 {
		q.Get()
	}
	b.ReportAllocs()
	for b.Loop() {
		q.Snapshot(100)
	}
}
