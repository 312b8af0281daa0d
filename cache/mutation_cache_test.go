package cache

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// objectVersion returns a version of the object "a".
func version(uid, resourceVersion string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "a", UID: types.UID(uid), ResourceVersion: resourceVersion,
	}}
}

func mutationCacheOver(store Indexer, o MutationCacheOptions) MutationCache {
	o.Indexer = store
	return NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), store, o)
}

// foundIn returns uid/version of the object that a MutationCache has under a
// key.
func foundIn(t *testing.T, c MutationCache, key string) string {
	t.Helper()
	obj, exists, err := c.GetByKey(key)
	require.NoError(t, err)
	if !exists {
		require.Nil(t, obj)
		return "nothing"
	}
	meta := obj.(*metav1.PartialObjectMetadata)
	return string(meta.UID) + "/" + meta.ResourceVersion
}

// steps are changes of the object a. Each step is a verb and a uid/version.
// The verb "store" stores the object, "written" calls Mutation, "notified"
// calls OnAddOrUpdate, and "deleted" calls OnDelete. "removed" has no version
// and removes the object from the store.
type steps []string

func (s steps) applyTo(t *testing.T, store Store, c MutationCache) {
	for _, step := range s {
		var method, uid, rv string
		if _, err := fmt.Sscanf(step, "%s %1s/%s", &method, &uid, &rv); err != nil && method != "removed" {
			rv = ""
		}
		obj := version(uid, rv)
		switch method {
		case "store":
			require.NoError(t, store.Add(obj))
		case "removed":
			require.NoError(t, store.Delete(version("", "")))
		case "written":
			c.Mutation(obj)
		case "notified":
			c.OnAddOrUpdate(obj)
		case "deleted":
			c.OnDelete(obj)
		default:
			t.Fatal(step)
		}
	}
}

func TestMutationCacheReturnsNewerObject(t *testing.T) {
	for _, test := range []struct {
		promise string
		steps   steps
		// strict is the result without IncludeAdds, adds the result with it.
		strict, adds string
	}{
		{"only in the store", steps{"store x/3"}, "x/3", "x/3"},
		{"nothing", nil, "nothing", "nothing"},
		{"newer write", steps{"store x/3", "written x/4"}, "x/4", "x/4"},
		{"older write", steps{"store x/5", "written x/4"}, "x/5", "x/5"},
		{"write that arrived in the store", steps{"store x/3", "written x/4", "store x/4"}, "x/4", "x/4"},
		{"versions with different lengths", steps{"store x/9", "written x/10"}, "x/10", "x/10"},
		{"numbers beyond 64 bits", steps{"store x/99999999999999999999", "written x/100000000000000000000"}, "x/100000000000000000000", "x/100000000000000000000"},
		{"stored object without version", steps{"store x/", "written x/1"}, "x/1", "x/1"},
		{"write without version", steps{"store x/1", "written x/"}, "x/1", "x/1"},
		{"stored version 0", steps{"store x/0", "written x/1"}, "x/1", "x/1"},
		{"versions that cannot be compared", steps{"store x/b", "written x/a"}, "x/b", "x/b"},
		{"versions that cannot be compared, then removed", steps{"store x/b", "written x/a", "removed"}, "nothing", "x/a"},
		{"newer write before an older one", steps{"store x/3", "written x/5", "written x/4"}, "x/5", "x/5"},
		{"two writes whose versions cannot be compared", steps{"store x/", "written x/b", "written x/a"}, "x/a", "x/a"},

		{"add", steps{"written x/3"}, "nothing", "x/3"},
		{"add that arrived", steps{"written x/3", "store x/3"}, "x/3", "x/3"},
		{"add that arrived and was removed", steps{"written x/3", "store x/3", "removed"}, "nothing", "x/3"},
		{"add that was notified and removed", steps{"written x/3", "store x/3", "notified x/3", "removed"}, "nothing", "nothing"},
		{"add, older version notified", steps{"written x/3", "notified x/2"}, "nothing", "x/3"},
		{"add, notified version cannot be compared", steps{"written x/3", "notified x/b"}, "nothing", "nothing"},
		{"deleted add", steps{"written x/3", "deleted x/4"}, "nothing", "nothing"},
		{"write newer than its deletion", steps{"written x/5", "deleted x/4"}, "nothing", "nothing"},
		{"newer object with the same name", steps{"written y/5", "deleted x/4"}, "nothing", "y/5"},
		{"older object with the same name", steps{"written y/3", "deleted x/4"}, "nothing", "nothing"},
		{"object with the same name, not comparable", steps{"written y/b", "deleted x/a"}, "nothing", "y/b"},

		{"late write of a deleted object", steps{"deleted x/4", "written x/3"}, "nothing", "nothing"},
		{"late write with a newer version", steps{"deleted x/4", "written x/5"}, "nothing", "nothing"},
		{"late write of an older object with the same name", steps{"deleted x/4", "written w/3"}, "nothing", "nothing"},
		{"late write of the same version, other object", steps{"deleted x/4", "written y/4"}, "nothing", "nothing"},
		{"new object with the same name", steps{"deleted x/4", "written y/5"}, "nothing", "y/5"},
		{"new object with the same name, not comparable", steps{"deleted x/a", "written y/b"}, "nothing", "y/b"},
		{"new object with the same name in the store", steps{"deleted x/4", "store y/5"}, "y/5", "y/5"},
		{"write of the new object", steps{"deleted x/4", "store y/5", "written y/6"}, "y/6", "y/6"},
		{"stored object older than the deletion", steps{"deleted x/4", "store x/3"}, "x/3", "x/3"},
		{"notifications without a write", steps{"notified x/3", "deleted x/4", "deleted x/4"}, "nothing", "nothing"},
	} {
		t.Run(test.promise, func(t *testing.T) {
			for includeAdds, want := range map[bool]string{false: test.strict, true: test.adds} {
				store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
				c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: includeAdds})
				test.steps.applyTo(t, store, c)
				for range 2 {
					require.Equal(t, want, foundIn(t, c, "a"), "include adds: %v", includeAdds)
				}
			}
		})
	}
}

// When a read has returned an object of the store, an older write is not
// returned after that object was removed.
func TestWriteOlderThanStoreIsForgotten(t *testing.T) {
	for _, come := range []string{"x/3", "x/4"} {
		store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
		c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
		steps{"written x/3", "store " + come}.applyTo(t, store, c)
		require.Equal(t, come, foundIn(t, c, "a"))
		steps{"removed"}.applyTo(t, store, c)
		require.Equal(t, "nothing", foundIn(t, c, "a"))
	}
}

func TestMutationExpires(t *testing.T) {
	for ttl, lasts := range map[time.Duration]time.Duration{0: 5 * time.Minute, time.Second: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
			c := NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, ttl, true)
			c.Mutation(version("x", "3"))
			time.Sleep(lasts)
			require.Equal(t, "x/3", foundIn(t, c, "a"))
			time.Sleep(time.Nanosecond)
			require.Equal(t, "nothing", foundIn(t, c, "a"))
		})
	}
}

func TestMaxCacheSize(t *testing.T) {
	for size, remembered := range map[int]int{3: 3, 0: 100, -1: 100} {
		store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
		c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true, MaxCacheSize: size})
		for i := range remembered + 1 {
			c.Mutation(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(i), ResourceVersion: "1"}})
			require.Equal(t, "/1", foundIn(t, c, "0"), "a recently used write")
		}
		require.Equal(t, "nothing", foundIn(t, c, "1"), "the least recently used write")
		require.Equal(t, "/1", foundIn(t, c, "2"))
		require.Equal(t, "/1", foundIn(t, c, strconv.Itoa(remembered)))
	}
}

func labelledAt(name, app, version string) *metav1.PartialObjectMetadata {
	obj := labelled(name, app)
	obj.ResourceVersion = version
	return obj
}

func appOf(obj any) ([]string, error) {
	app := obj.(*metav1.PartialObjectMetadata).Labels["app"]
	if app == "fails" {
		return nil, errors.New("no app")
	}
	return []string{app}, nil
}

func TestByIndexReturnsNewerObject(t *testing.T) {
	store := NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": appOf})
	strict := mutationCacheOver(store, MutationCacheOptions{})
	adds := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
	for _, obj := range []any{labelledAt("a", "shop", "1"), labelledAt("b", "shop", "2"), labelledAt("c", "bank", "3")} {
		require.NoError(t, store.Add(obj))
	}
	newer, added, elsewhere := labelledAt("a", "shop", "4"), labelledAt("d", "shop", "5"), labelledAt("e", "bank", "6")
	for _, c := range []MutationCache{strict, adds} {
		for _, obj := range []any{newer, added, elsewhere, labelledAt("f", "fails", "7"), labelledAt("g", "shop", "8"), labelledAt("b", "shop", "1")} {
			c.Mutation(obj)
		}
		c.OnDelete(labelledAt("g", "shop", "9"))
	}
	inStore, _, err := store.GetByKey("default/b")
	require.NoError(t, err)

	items, err := strict.ByIndex("app", "shop")
	require.NoError(t, err)
	require.ElementsMatch(t, []any{newer, inStore}, items)
	items, err = adds.ByIndex("app", "shop")
	require.NoError(t, err)
	require.ElementsMatch(t, []any{newer, inStore, added}, items)
	items, err = adds.ByIndex("app", "none")
	require.NoError(t, err)
	require.Empty(t, items)

	_, err = adds.ByIndex("color", "red")
	require.ErrorContains(t, err, "color")
	_, err = NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, true).ByIndex("app", "shop")
	require.ErrorIs(t, err, errNoIndexer)
}

// indexerWithHook is an Indexer that calls a function after it has returned
// keys.
type indexerWithHook struct {
	Indexer
	then func()
}

func (i *indexerWithHook) IndexKeys(indexName, indexedValue string) ([]string, error) {
	keys, err := i.Indexer.IndexKeys(indexName, indexedValue)
	if i.then != nil {
		i.then()
	}
	return keys, err
}

// ByIndex returns a write that arrives in the store between its reads of the
// index and of the writes.
func TestByIndexDuringConcurrentUpdates(t *testing.T) {
	written := labelledAt("a", "shop", "5")
	for _, test := range []struct {
		meanwhile string
		happens   func(store Indexer, c MutationCache)
		found     []any
	}{
		{"stored", func(store Indexer, _ MutationCache) { _ = store.Add(written) }, []any{written}},
		{"stored and notified", func(store Indexer, c MutationCache) {
			_ = store.Add(written)
			c.OnAddOrUpdate(written)
		}, []any{written}},
		{"stored and read", func(store Indexer, c MutationCache) {
			_ = store.Add(written)
			_, _, _ = c.GetByKey("default/a")
		}, []any{written}},
		{"stored with another value", func(store Indexer, _ MutationCache) {
			_ = store.Add(labelledAt("a", "bank", "6"))
		}, nil},
	} {
		t.Run(test.meanwhile, func(t *testing.T) {
			store := &indexerWithHook{Indexer: NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": appOf})}
			c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
			c.Mutation(written)
			store.then = func() { test.happens(store, c) }
			items, err := c.ByIndex("app", "shop")
			require.NoError(t, err)
			require.Equal(t, test.found, items)
		})
	}
}

// A write is not returned under its old indexed value if the store has a newer
// object with another value, even without a call of OnAddOrUpdate.
func TestByIndexOmitsChangedValues(t *testing.T) {
	store := NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": appOf})
	c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
	c.Mutation(labelledAt("a", "shop", "5"))
	require.NoError(t, store.Add(labelledAt("a", "bank", "6")))
	items, err := c.ByIndex("app", "shop")
	require.NoError(t, err)
	require.Empty(t, items)
}

func TestMutationCacheWithoutStore(t *testing.T) {
	c := NewIntegerResourceVersionMutationCache(klog.Background(), nil, nil, 0, true)
	c.Mutation(version("x", "3"))
	_, _, err := c.GetByKey("a")
	require.ErrorIs(t, err, errNoBackingStore)
}

func TestMutationOfInvalidObject(t *testing.T) {
	store := NewIndexer(func(any) (string, error) { return "a", nil }, Indexers{})
	c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
	for _, obj := range []any{nil, "a", 3, ExplicitKey("a"), (*metav1.PartialObjectMetadata)(nil), DeletedFinalStateUnknown{Key: "a"}} {
		c.Mutation(obj)
		require.Equal(t, "nothing", foundIn(t, c, "a"), "%T", obj)
	}
	c.OnAddOrUpdate(nil)
	c.OnDelete(nil)
	c.OnDelete(&metav1.Status{})

	require.NoError(t, store.Add("a string"))
	c.Mutation(version("x", "3"))
	obj, exists, err := c.GetByKey("a")
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, "a string", obj, "an object without a version")
}

func TestStoreErrorIsReturned(t *testing.T) {
	broken := errors.New("broken")
	store := &FakeCustomStore{GetByKeyFunc: func(string) (any, bool, error) { return nil, false, broken }}
	c := NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, true)
	c.Mutation(version("x", "3"))
	_, _, err := c.GetByKey("a")
	require.ErrorIs(t, err, broken)
}

// The store is called without a lock, so it may call the cache. A result that
// is older than a concurrent update is not returned.
func TestMutationCacheDuringConcurrentUpdate(t *testing.T) {
	var c MutationCache
	store := &FakeCustomStore{GetByKeyFunc: func(string) (any, bool, error) {
		c.OnAddOrUpdate(version("x", "7"))
		return version("x", "5"), true, nil
	}}
	c = NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, false)
	c.Mutation(version("x", "6"))
	require.Equal(t, "x/6", foundIn(t, c, "a"))
}

func TestOnlyObsoleteWriteIsForgotten(t *testing.T) {
	var c MutationCache
	inStore := "5"
	store := &FakeCustomStore{GetByKeyFunc: func(string) (any, bool, error) {
		if inStore == "5" {
			c.Mutation(version("x", "6"))
		}
		return version("x", inStore), true, nil
	}}
	c = NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, false)
	c.Mutation(version("x", "4"))
	require.Equal(t, "x/5", foundIn(t, c, "a"))
	inStore = "2"
	require.Equal(t, "x/6", foundIn(t, c, "a"))
}

// With concurrent writers, a reader never sees a version older than one that
// it has read. After all writes have arrived, the cache returns the objects of
// the store.
func TestStoreVersionNeverDecreases(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
			require.NoError(t, store.Add(version("x", "1")))
			c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: random.IntN(2) == 0})
			const last = 200
			var all sync.WaitGroup
			for from := range 2 {
				all.Go(func() {
					for v := 2 + from; v <= last; v += 2 {
						c.Mutation(version("x", strconv.Itoa(v)))
					}
				})
			}
			all.Go(func() {
				for v := 2; v <= last; v++ {
					obj := version("x", strconv.Itoa(v))
					_ = store.Update(obj)
					c.OnAddOrUpdate(obj)
				}
			})
			all.Go(func() {
				newest := 0
				for range last {
					obj, _, _ := c.GetByKey("a")
					read, _ := strconv.Atoi(obj.(*metav1.PartialObjectMetadata).ResourceVersion)
					if read < newest {
						t.Errorf("read version %d after %d", read, newest)
						return
					}
					newest = read
				}
			})
			all.Wait()
			require.Equal(t, "x/"+strconv.Itoa(last), foundIn(t, c, "a"))
		})
	}
}
