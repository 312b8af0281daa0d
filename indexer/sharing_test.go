package indexer

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Versions of a store share nodes. These tests add entries to shared nodes while
// readers of older versions read them.

// keysWithTag returns n keys with the same tag, which a page distinguishes only by
// comparing the keys.
func keysWithTag(tag uint64, n int) []string {
	var keys []string
	for i := 0; len(keys) < n; i++ {
		if key := fmt.Sprint("key-", i); hashOf(key).tag() == tag {
			keys = append(keys, key)
		}
	}
	return keys
}

// Promise: a search does not read positions that are empty in its version, since a
// writer may be filling them. Only the lowest tags can show that error, and random
// keys rarely have them.
func TestLookUpsDoNotReadEmptyPositions(t *testing.T) {
	for tag := uint64(2); tag < 5; tag++ {
		keys := keysWithTag(tag, 40)
		for _, written := range [][]string{keys, keysWithTag(tag^1|2, 40)} {
			ix := New(Options[string]{KeyFunc: func(s string) (string, error) { return s, nil }})
			var done atomic.Bool
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() {
					for !done.Load() {
						for _, key := range keys {
							if got, ok := ix.Get(key); ok && got != key {
								t.Errorf("Get(%q) returned %q", key, got)
								return
							}
						}
					}
				})
			}
			for round := range 20 {
				for _, key := range written {
					_ = ix.Add(key)
				}
				if round%2 == 0 {
					_ = ix.Replace(seq[string](), nil)
				}
			}
			done.Store(true)
			readers.Wait()
		}
	}
	for i := range 10_000 {
		require.GreaterOrEqual(t, hashOf(fmt.Sprint(i)).tag(), uint64(2))
	}
}

// Promise: a read returns one consistent version while new objects are added, with new
// and existing index values. The writer adds them in place, singly and in batches,
// while pages, page chains, buckets and vectors grow. Nothing is removed, so a version
// with n objects has the first n items.
func TestReadersDuringAppends(t *testing.T) {
	const objects = 3000
	items := make([]item, objects)
	for i := range items {
		items[i] = item{key: fmt.Sprint("key-", i), version: i, values: [3]string{"all", fmt.Sprint("v", i%50), fmt.Sprint("own-", i)}}
	}
	for _, batch := range []int{1, 7, 100} {
		ix := New(Options[item]{KeyFunc: func(it item) (string, error) { return it.key, nil }})
		var indexes [3]*Index[item]
		for i := range indexes {
			index, err := ix.AddIndex(fmt.Sprint(i), func(it item) []string { return it.indexed(i) })
			require.NoError(t, err)
			indexes[i] = index
		}
		var readers sync.WaitGroup
		for r := range 2 {
			readers.Go(func() {
				held := ix.Snapshot()
				for round := 0; held.Len() < objects && !t.Failed(); round++ {
					checkFirst(t, held, indexes, items)
					if round%3 == r { // the other rounds read the same version again
						held = ix.Snapshot()
					}
				}
			})
		}
		for i := 0; i < objects; i += batch {
			changes := make([]Change[item], 0, batch)
			for _, it := range items[i:min(i+batch, objects)] {
				changes = append(changes, Change[item]{Object: it})
			}
			if batch == 1 {
				_ = ix.Add(items[i])
			} else {
				_ = ix.Apply(changes, "")
			}
		}
		readers.Wait()
		checkFirst(t, ix.Snapshot(), indexes, items)
	}
}

// checkFirst checks with each method of s that s has the first s.Len() items.
func checkFirst(t *testing.T, s Snapshot[item], indexes [3]*Index[item], items []item) {
	n := s.Len()
	fail := func(format string, args ...any) {
		t.Errorf("version with %d objects: %s", n, fmt.Sprintf(format, args...))
	}
	for _, i := range []int{0, n / 2, n - 1, n, n + 1, len(items) - 1} {
		if i < 0 || i >= len(items) {
			continue
		}
		if got, ok := s.Get(items[i].key); ok != (i < n) || ok && got != items[i] {
			fail("Get(%s) = %v, %v", items[i].key, got, ok)
		}
		if got := s.Count(indexes[2], fmt.Sprint("own-", i)); (got == 1) != (i < n) {
			fail("%d objects have the value own-%d", got, i)
		}
	}
	count := 0
	for it := range s.Find(indexes[0], "all") {
		if it.version >= n {
			fail("Find yields %s", it.key)
		}
		count++
	}
	if count != n || s.Count(indexes[0], "all") != n {
		fail("Find yields %d objects, Count returns %d", count, s.Count(indexes[0], "all"))
	}
	count = 0
	for value := range s.Values(indexes[1]) {
		count += s.Count(indexes[1], value)
	}
	if count != n {
		fail("the buckets have %d objects", count)
	}
	count = 0
	for key := range s.Keys() {
		if !strings.HasPrefix(key, "key-") {
			fail("Keys yields %q", key)
		}
		count++
	}
	if count != n {
		fail("Keys yields %d keys", count)
	}
}

// Promise: a snapshot retains the objects that it can yield, and none that were added
// and deleted later.
func TestSnapshotDoesNotRetainLaterObjects(t *testing.T) {
	type big struct {
		key string
		_   [1024]byte
	}
	ix := New(Options[*big]{KeyFunc: func(b *big) (string, error) { return b.key, nil }})
	add := func(from, to int) {
		for i := from; i < to; i++ {
			require.NoError(t, ix.Add(&big{key: fmt.Sprint(i)}))
		}
	}
	add(0, 300)
	held := ix.Snapshot()
	before := liveHeap()
	add(300, 10_000)
	require.NoError(t, ix.Replace(seq[*big](), nil))
	require.Less(t, liveHeap()-before, int64(1<<20), "about 10 MB were added and deleted")
	require.Equal(t, 300, held.Len())
	runtime.KeepAlive(ix)
}
