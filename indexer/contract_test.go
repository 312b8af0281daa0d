package indexer

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func seq[T any](items ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

func newItems() *Indexer[item] {
	return New(Options[item]{
		KeyFunc:  func(it item) (string, error) { return it.key, nil },
		MetaFunc: func(it item) (types.UID, string) { return it.uid, fmt.Sprint(it.version) },
	})
}

// Promise: objects may have any type if there is a KeyFunc.
func TestObjectsMayHaveAnyType(t *testing.T) {
	ix := New(Options[int]{KeyFunc: func(n int) (string, error) { return fmt.Sprint(n), nil }})
	parity, err := ix.AddIndex("parity", func(n int) []string { return []string{[]string{"even", "odd"}[n%2]} })
	require.NoError(t, err)
	for n := range 100 {
		require.NoError(t, ix.Add(n))
	}
	require.NoError(t, ix.Delete(7))
	require.Equal(t, 99, ix.Len())
	require.Equal(t, 49, parity.Count("odd"))
	require.NotContains(t, slices.Collect(parity.Find("odd")), 7)
	require.NoError(t, ix.Replace(seq(1, 2, 3), nil))
	require.Equal(t, []int{1, 2, 3}, slices.Sorted(ix.All()))
}

// Promise: with a MetaFunc, Add, Update and Delete compare the UID and the version of
// the object with those of the stored object.
func TestWritesCompareUIDAndVersion(t *testing.T) {
	older, newer := item{key: "a", uid: "1", version: 9}, item{key: "a", uid: "1", version: 10}
	recreated := item{key: "a", uid: "2", version: 3}
	get := func(ix *Indexer[item]) item {
		it, _ := ix.Get("a")
		return it
	}
	t.Run("older version of the same object", func(t *testing.T) {
		ix := newItems()
		require.NoError(t, ix.Add(newer))
		require.NoError(t, ix.Add(older))
		require.NoError(t, ix.Update(older))
		require.NoError(t, ix.Delete(older))
		require.Equal(t, newer, get(ix))
		require.Equal(t, "10", ix.Version())
	})
	t.Run("another object with the same name", func(t *testing.T) {
		ix := newItems()
		require.NoError(t, ix.Add(newer))
		require.NoError(t, ix.Update(recreated))
		require.Equal(t, recreated, get(ix))
		require.NoError(t, ix.Delete(newer), "an object that no longer exists")
		require.Equal(t, recreated, get(ix))
	})
	t.Run("Apply and Replace do not compare", func(t *testing.T) {
		ix := newItems()
		require.NoError(t, ix.Add(newer))
		require.NoError(t, ix.Apply([]Change[item]{{Object: older}}, ""))
		require.Equal(t, older, get(ix))
		require.NoError(t, ix.Add(newer))
		require.NoError(t, ix.Replace(seq(older), nil))
		require.Equal(t, older, get(ix))
	})
	t.Run("without a MetaFunc", func(t *testing.T) {
		ix := New(Options[item]{KeyFunc: func(it item) (string, error) { return it.key, nil }})
		require.NoError(t, ix.Add(newer))
		require.NoError(t, ix.Add(older))
		require.Equal(t, older, get(ix))
		require.Empty(t, ix.Version())
	})
}

// Promise: Replace keeps the stored pointer if an item has the UID and the version of
// the stored object.
func TestReplaceKeepsStoredPointers(t *testing.T) {
	ix := New(Options[*metav1.ObjectMeta]{
		MetaFunc: func(o *metav1.ObjectMeta) (types.UID, string) { return o.UID, o.ResourceVersion },
	})
	meta := func(name, version string) *metav1.ObjectMeta {
		return &metav1.ObjectMeta{Name: name, UID: "u", ResourceVersion: version}
	}
	same, changed, gone := meta("same", "1"), meta("changed", "1"), meta("gone", "1")
	require.NoError(t, ix.Replace(seq(same, changed, gone), nil))
	changedAgain := meta("changed", "2")
	require.NoError(t, ix.Replace(seq(meta("same", "1"), changedAgain), func() string { return "7" }))

	got, _ := ix.Get("same")
	require.Same(t, same, got)
	got, _ = ix.Get("changed")
	require.Same(t, changedAgain, got)
	_, ok := ix.Get("gone")
	require.False(t, ok)
	require.Equal(t, "7", ix.Version())
}

// Promise: a Replace at an older version than that of the store replaces all objects.
// The state of the source was reset, so it may have used versions twice.
func TestReplaceAtAnOlderVersionReplacesAllObjects(t *testing.T) {
	ix := New(Options[*metav1.ObjectMeta]{
		MetaFunc: func(o *metav1.ObjectMeta) (types.UID, string) { return o.UID, o.ResourceVersion },
	})
	before := &metav1.ObjectMeta{Name: "a", UID: "u", ResourceVersion: "5"}
	now := before.DeepCopy()
	require.NoError(t, ix.Replace(seq(before), func() string { return "9" }))
	require.NoError(t, ix.Replace(seq(now), func() string { return "8" }))
	got, _ := ix.Get("a")
	require.Same(t, now, got)
}

// Promise: a Replace whose items end with an error changes nothing. The version
// function is called after the last item.
func TestFailedReplaceChangesNothing(t *testing.T) {
	ix := newItems()
	require.NoError(t, ix.Add(item{key: "a", version: 1}))
	broken := errors.New("the stream broke")
	err := ix.Replace(func(yield func(item, error) bool) {
		_ = yield(item{key: "b"}, nil) && yield(item{}, broken)
	}, func() string { t.Error("Replace called version after a failed list"); return "" })
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"a"}, slices.Collect(ix.Keys()))

	ended := false
	require.NoError(t, ix.Replace(func(yield func(item, error) bool) {
		yield(item{key: "b"}, nil)
		ended = true
	}, func() string { require.True(t, ended); return "3" }))
	require.Equal(t, "3", ix.Version())
}

// Promise: invalid input is an error: an object without metadata, without a name or
// without a key, a nil object, and an index name that is in use.
func TestInvalidInputIsAnError(t *testing.T) {
	ix := New(Options[*metav1.ObjectMeta]{})
	noName := &metav1.ObjectMeta{Namespace: "secret-namespace"}
	for _, write := range []func(*metav1.ObjectMeta) error{ix.Add, ix.Update, ix.Delete} {
		var keyError *KeyError
		err := write(nil)
		require.ErrorAs(t, err, &keyError)
		require.ErrorIs(t, err, ErrNilObject)
		err = write(noName)
		require.ErrorIs(t, err, ErrNoName)
		require.NotContains(t, err.Error(), "secret-namespace")
	}
	good := &metav1.ObjectMeta{Name: "good"}
	require.ErrorIs(t, ix.Replace(seq(nil, good, noName), nil), ErrNilObject)
	require.Equal(t, 1, ix.Len(), "the other items are stored")

	err := ix.Apply([]Change[*metav1.ObjectMeta]{{Object: nil}, {Object: good}, {Delete: true}, {Key: "absent", Delete: true}}, "5")
	require.ErrorIs(t, err, ErrNilObject)
	require.ErrorContains(t, err, "change 0")
	require.ErrorContains(t, err, "change 2")
	require.Equal(t, "5", ix.Version())

	require.ErrorIs(t, New(Options[any]{}).Add(struct{}{}), ErrNoMetadata)
	require.ErrorIs(t, New(Options[any]{}).Add((*metav1.ObjectMeta)(nil)), ErrNilObject)

	require.ErrorIs(t, ix.Replace(nil, nil), ErrNoItems)
	require.Equal(t, 1, ix.Len())
	keyless := New(Options[int]{KeyFunc: func(int) (string, error) { return "", nil }})
	require.ErrorIs(t, keyless.Add(1), ErrNoKey)
	require.ErrorIs(t, keyless.Apply([]Change[int]{{Object: 1}}, ""), ErrNoKey)
	require.ErrorIs(t, keyless.Replace(seq(1), nil), ErrNoKey)

	untyped := New(Options[any]{MetaFunc: func(o any) (types.UID, string) { return o.(*metav1.ObjectMeta).UID, "" }})
	require.NoError(t, untyped.Add(good))
	require.NoError(t, untyped.Delete(ExplicitKey("good")), "MetaFunc must not be called with an ExplicitKey")
	require.Zero(t, untyped.Len())

	_, err = ix.AddIndex("i", func(*metav1.ObjectMeta) []string { return nil })
	require.NoError(t, err)
	_, err = ix.AddIndex("i", func(*metav1.ObjectMeta) []string { return nil })
	require.ErrorIs(t, err, ErrIndexExists)
	_, err = ix.AddIndex("j", nil)
	require.ErrorIs(t, err, ErrNoIndexFunc)
	_, ok := ix.Index("j")
	require.False(t, ok)
	i, ok := ix.Index("i")
	require.True(t, ok)
	require.Equal(t, "i", i.Name())
	require.Zero(t, New(Options[*metav1.ObjectMeta]{}).Snapshot().Count(i, ""), "an index of another indexer finds nothing")
}

// Promise: if an index function panics, the object is stored without entries in that
// index. The first panic of each function is logged with the key, and all are
// counted.
func TestIndexFunctionMayPanic(t *testing.T) {
	var log bytes.Buffer
	ix := New(Options[item]{
		KeyFunc: func(it item) (string, error) { return it.key, nil },
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
	})
	index, err := ix.AddIndex("first", func(it item) []string { return it.indexed(0) })
	require.NoError(t, err)
	require.NoError(t, ix.Add(item{key: "bad-one", values: [3]string{"panic"}}))
	require.NoError(t, ix.Add(item{key: "bad-two", values: [3]string{"panic"}}))
	require.NoError(t, ix.Add(item{key: "good", values: [3]string{"v"}}))
	require.EqualValues(t, 2, index.Panics())
	require.Equal(t, 3, ix.Len())
	require.Equal(t, 1, index.Count("v"))
	require.Equal(t, 1, strings.Count(log.String(), "level=ERROR"))
	require.Contains(t, log.String(), "key=bad-one")
	require.Contains(t, log.String(), "index=first")

	require.NoError(t, ix.Update(item{key: "good", values: [3]string{"panic"}}))
	require.Zero(t, index.Count("v"), "the entry of the previous object must be removed")
}

// Promise: the indexer stores the index values of an object, so deleting an object
// that was changed after it was stored leaves no entry.
func TestMutatedObjectLeavesNoEntry(t *testing.T) {
	ix := New(Options[*benchPod]{})
	byNode, err := ix.AddIndex("node", func(p *benchPod) []string { return []string{p.node} })
	require.NoError(t, err)
	pod := &benchPod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, node: "before"}
	require.NoError(t, ix.Add(pod))
	pod.node = "changed in place"
	require.NoError(t, ix.Delete(pod))
	require.Empty(t, slices.Collect(byNode.Values()))
}

// Promise: UIDs and versions are compared with the object that the write replaces,
// also if another writer has changed it since it was read. Here MetaFunc is that
// writer.
func TestUIDAndVersionRulesWithConcurrentWriters(t *testing.T) {
	var ix *Indexer[item]
	var concurrentWrite func()
	ix = New(Options[item]{
		KeyFunc: func(it item) (string, error) { return it.key, nil },
		MetaFunc: func(it item) (types.UID, string) {
			if write := concurrentWrite; write != nil && it.values[0] == "stored" {
				concurrentWrite = nil
				write()
			}
			return it.uid, fmt.Sprint(it.version)
		},
	})
	stored := func(version int) item {
		return item{key: "a", uid: "1", version: version, values: [3]string{"stored"}}
	}
	get := func() item { it, _ := ix.Get("a"); return it }

	require.NoError(t, ix.Add(stored(5)))
	concurrentWrite = func() { require.NoError(t, ix.Add(stored(9))) }
	require.NoError(t, ix.Add(item{key: "a", uid: "1", version: 7}))
	require.Equal(t, stored(9), get(), "version 7 is older than 9")

	concurrentWrite = func() { require.NoError(t, ix.Add(stored(12))) }
	require.NoError(t, ix.Delete(item{key: "a", uid: "1", version: 10}))
	require.Equal(t, stored(12), get())

	concurrentWrite = func() { require.NoError(t, ix.Apply([]Change[item]{{Key: "a", Delete: true}}, "")) }
	require.NoError(t, ix.Replace(seq(stored(12)), nil))
	require.Equal(t, stored(12), get(), "the unchanged object was deleted before Replace wrote it")

	concurrentWrite = func() { ix.Bookmark("100") }
	same := stored(12)
	same.values[1] = "another copy"
	require.NoError(t, ix.Replace(seq(same), nil))
	require.Equal(t, stored(12), get(), "a bookmark changes no object")
}

// Promise: Add, Update and Delete only advance Version. Apply, Replace and Bookmark
// may also set it to an older version.
func TestSingleWritesOnlyAdvanceVersion(t *testing.T) {
	ix := newItems()
	require.NoError(t, ix.Add(item{key: "a", uid: "1", version: 10}))
	require.NoError(t, ix.Add(item{key: "b", uid: "2", version: 3}))
	require.NoError(t, ix.Delete(item{key: "unknown", uid: "3", version: 2}))
	require.Equal(t, "10", ix.Version())
	require.NoError(t, ix.Apply(nil, "4"))
	require.Equal(t, "4", ix.Version())
	ix.Bookmark("")
	require.Equal(t, "4", ix.Version())
}

// Promise: an object may have any number of index values, and the index has exactly
// those of the stored object.
func TestObjectWithManyIndexValues(t *testing.T) {
	ix := New(Options[[]int]{KeyFunc: func([]int) (string, error) { return "one", nil }})
	index, err := ix.AddIndex("numbers", func(ns []int) []string {
		var values []string
		for _, n := range ns {
			values = append(values, fmt.Sprint(n))
		}
		return values
	})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 5))
	for range 50 {
		ns := make([]int, rng.IntN(2)*rng.IntN(1000)+rng.IntN(4))
		for i := range ns {
			ns[i] = rng.IntN(2000)
		}
		require.NoError(t, ix.Add(ns))
		slices.Sort(ns)
		ns = slices.Compact(ns)
		for n := range 2000 {
			_, has := slices.BinarySearch(ns, n)
			require.Equal(t, has, index.Count(fmt.Sprint(n)) == 1)
		}
	}
	require.NoError(t, ix.Add(nil))
	require.Empty(t, slices.Collect(index.Values()))
}

// Promise: if an index function ends its goroutine, AddIndex adds no index, and the
// store remains usable.
func TestIndexFunctionMayEndItsGoroutine(t *testing.T) {
	ix := newItems()
	require.NoError(t, ix.Add(item{key: "a", uid: "1", version: 1}))
	var ended sync.WaitGroup
	ended.Go(func() { _, _ = ix.AddIndex("i", func(item) []string { runtime.Goexit(); return nil }) })
	ended.Wait()
	_, ok := ix.Index("i")
	require.False(t, ok)
	require.Equal(t, 1, ix.Len())
}

// Promise: no user function is called with a lock held, so each may call the
// indexer.
func TestUserFunctionsMayCallTheIndexer(t *testing.T) {
	var ix *Indexer[int]
	depth := 0
	callIndexer := func() {
		if depth++; depth == 1 {
			_ = ix.Add(1000)
			_ = ix.Apply([]Change[int]{{Object: 1001}}, "")
			_, _ = ix.AddIndex(fmt.Sprint("late-", ix.Len()), func(int) []string { return nil })
		}
		depth--
	}
	ix = New(Options[int]{
		KeyFunc:  func(n int) (string, error) { callIndexer(); return fmt.Sprint(n), nil },
		MetaFunc: func(n int) (types.UID, string) { return "u", fmt.Sprint(n + 1) },
	})
	_, err := ix.AddIndex("i", func(n int) []string { callIndexer(); return []string{"v"} })
	require.NoError(t, err)
	require.NoError(t, ix.Add(1))
	require.NoError(t, ix.Apply([]Change[int]{{Object: 2}}, ""))
	require.NoError(t, ix.Replace(func(yield func(int, error) bool) { callIndexer(); yield(3, nil) }, func() string { callIndexer(); return "" }))
	require.NoError(t, ix.Delete(3))
	for range ix.All() {
		callIndexer()
	}
}

// Promise: readers never see a part of a Replace or of a batch, while several
// goroutines write and add indexes. Each write gives all objects the same
// generation, so a mixture of two versions is detected.
func TestReadersSeeWholeVersions(t *testing.T) {
	const objects, rounds = 60, 200
	ix := New(Options[item]{KeyFunc: func(it item) (string, error) { return it.key, nil }})
	byGeneration, err := ix.AddIndex("generation", func(it item) []string { return []string{it.values[0]} })
	require.NoError(t, err)
	generation := func(g int) []item {
		items := make([]item, objects)
		for i := range items {
			items[i] = item{key: fmt.Sprint(i), version: g, values: [3]string{fmt.Sprint("g", g)}}
		}
		return items
	}
	require.NoError(t, ix.Replace(seq(generation(0)...), nil))

	var stop atomic.Bool
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				checkOneGeneration(t, ix, byGeneration, objects)
				if t.Failed() {
					return
				}
			}
		})
	}
	for w := range 2 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for round := range rounds {
				items := generation(2*round + w)
				if rng.IntN(2) == 0 {
					_ = ix.Replace(seq(items...), nil)
				} else {
					changes := make([]Change[item], len(items))
					for i, it := range items {
						changes[i].Object = it
					}
					_ = ix.Apply(changes, "")
				}
				if round%20 == 0 {
					late, err := ix.AddIndex(fmt.Sprintf("late-%d-%d", w, round), func(it item) []string { return []string{"all"} })
					if err != nil || late.Count("all") != objects {
						t.Errorf("a new index has %d objects of %d (%v)", late.Count("all"), objects, err)
					}
				}
			}
		})
	}
	writers.Wait()
	stop.Store(true)
	readers.Wait()
}

func checkOneGeneration(t *testing.T, ix *Indexer[item], byGeneration *Index[item], objects int) {
	s := ix.Snapshot()
	generations := slices.Collect(s.Values(byGeneration))
	n := 0
	for it := range s.All() {
		n++
		if len(generations) != 1 || it.values[0] != generations[0] {
			t.Errorf("object %s has generation %s; the index has %v", it.key, it.values[0], generations)
			return
		}
	}
	found := s.Count(byGeneration, generations[0])
	for it := range s.Find(byGeneration, generations[0]) {
		if got, ok := s.Get(it.key); !ok || got != it {
			t.Errorf("object %s of the index differs from the store", it.key)
		}
		found--
	}
	if n != objects || found != 0 {
		t.Errorf("%d objects, %d missing in the index", n, found)
	}
}

// Promise: reads never block the writer, however long a caller iterates. Here the
// iteration continues only after the write.
func TestIterationDoesNotBlockWriters(t *testing.T) {
	ix := newItems()
	for i := range 100 {
		require.NoError(t, ix.Add(item{key: fmt.Sprint(i), version: i + 1}))
	}
	seen := 0
	for range ix.All() {
		if seen++; seen == 1 {
			require.NoError(t, ix.Replace(seq(item{key: "new", version: 1000}), nil))
			require.Equal(t, 1, ix.Len())
		}
	}
	require.Equal(t, 100, seen)
}

// Promise: the store releases the memory of deleted objects and of its tables when
// its contents become smaller.
func TestMemoryOfDeletedObjectsIsReleased(t *testing.T) {
	type big struct {
		key string
		_   [1024]byte
	}
	ix := New(Options[*big]{KeyFunc: func(b *big) (string, error) { return b.key, nil }})
	_, err := ix.AddIndex("own", func(b *big) []string { return []string{b.key} })
	require.NoError(t, err)
	before := liveHeap()
	fill := func() {
		for i := range 20_000 {
			require.NoError(t, ix.Add(&big{key: fmt.Sprint("key-", i)}))
		}
	}
	fill()
	require.Greater(t, liveHeap()-before, int64(20<<20))
	for i := range 19_990 {
		require.NoError(t, ix.Delete(&big{key: fmt.Sprint("key-", i)}))
	}
	require.Equal(t, 10, ix.Len())
	require.Less(t, liveHeap()-before, int64(200<<10))
	fill()
	require.NoError(t, ix.Replace(seq[*big](), nil))
	require.Less(t, liveHeap()-before, int64(200<<10))
}

// Promise: new objects use the slots of deleted objects.
func TestSlotsOfDeletedObjectsAreReused(t *testing.T) {
	ix := newItems()
	_, err := ix.AddIndex("own", func(it item) []string { return []string{it.key} })
	require.NoError(t, err)
	for i := range 10_000 {
		require.NoError(t, ix.Add(item{key: fmt.Sprint(i), version: i + 1}))
		if i >= 10 {
			require.NoError(t, ix.Delete(item{key: fmt.Sprint(i - 10), version: i + 1}))
		}
	}
	root := ix.store.current.Load()
	require.LessOrEqual(t, root.keys.bound, uint32(11))
	require.LessOrEqual(t, root.indexes[0].values.bound, uint32(11))
}

// Promise: deleted objects with a common index value leave a bounded number of slots
// unused.
func TestDeletesUnderOneIndexValueDoNotAccumulate(t *testing.T) {
	ix := newItems()
	_, err := ix.AddIndex("common", func(item) []string { return []string{"common"} })
	require.NoError(t, err)
	for i := range 10_000 {
		require.NoError(t, ix.Add(item{key: fmt.Sprint(i), version: i + 1}))
		if i >= 10 {
			require.NoError(t, ix.Delete(item{key: fmt.Sprint(i - 10), version: i + 1}))
		}
	}
	require.LessOrEqual(t, ix.store.current.Load().keys.bound, uint32(11+2*leafSize))
}

// Promise: CountAtMost is not less than Count, and is exact until an object is
// deleted.
func TestCountAtMostIsAnUpperBound(t *testing.T) {
	ix := newItems()
	first, err := ix.AddIndex("first", func(it item) []string { return []string{it.key[:1]} })
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, ix.Add(item{key: fmt.Sprint("a", i), version: i + 1}))
	}
	require.Equal(t, 20, ix.Snapshot().CountAtMost(first, "a"))
	before := ix.Snapshot()
	require.NoError(t, ix.Delete(item{key: "a3", version: 30}))
	require.Equal(t, 20, before.Count(first, "a"))
	require.Equal(t, 19, ix.Snapshot().Count(first, "a"))
	require.GreaterOrEqual(t, ix.Snapshot().CountAtMost(first, "a"), 19)
	require.Zero(t, ix.Snapshot().CountAtMost(first, "b"))
}

// Promise: a Delete copies one path to the object, not one for each index.
func TestDeleteCopiesLittleForEachIndex(t *testing.T) {
	allocations := func(indexes int) float64 {
		ix := newItems()
		for n := range indexes {
			_, err := ix.AddIndex(fmt.Sprint(n), func(it item) []string { return []string{it.key[:1]} })
			require.NoError(t, err)
		}
		const stored = 4000
		for i := range stored {
			require.NoError(t, ix.Add(item{key: fmt.Sprint(i%100, "-", i), version: i + 1}))
		}
		i := 0
		return testing.AllocsPerRun(stored/4, func() {
			_ = ix.Delete(item{key: fmt.Sprint(i%100, "-", i), version: stored})
			i++
		})
	}
	require.Less(t, allocations(10)-allocations(0), 20.0)
}

// liveHeap returns the size of the live heap. The second collection frees objects
// that the first one finalized.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
