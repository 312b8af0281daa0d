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

// version is an object of the name "a", in one of its versions.
func version(uid, resourceVersion string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "a", UID: types.UID(uid), ResourceVersion: resourceVersion,
	}}
}

func mutationCacheOver(store Indexer, o MutationCacheOptions) MutationCache {
	o.Indexer = store
	return NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), store, o)
}

// foundIn is what a MutationCache has under a key: uid/version.
func foundIn(t *testing.T, c MutationCache, key string) string {
	t.Helper()
	obj, exists, err := c.GetByKey(key)
	require.NoError(t, err)
	if !exists {
		require.Nil(t, obj)
		return "nothing"
	}
	of := obj.(*metav1.PartialObjectMetadata)
	return string(of.UID) + "/" + of.ResourceVersion
}

// A history is what happens to the object a, in words: store, written, told (that
// a version is in the store) and deleted, each of a uid/version; unstored.
type history []string

func (h history) happensTo(t *testing.T, store Store, c MutationCache) {
	for _, step := range h {
		var what, uid, rv string
		if _, err := fmt.Sscanf(step, "%s %1s/%s", &what, &uid, &rv); err != nil && what != "unstored" {
			rv = ""
		}
		obj := version(uid, rv)
		switch what {
		case "store":
			require.NoError(t, store.Add(obj))
		case "unstored":
			require.NoError(t, store.Delete(version("", "")))
		case "written":
			c.Mutation(obj)
		case "told":
			c.OnAddOrUpdate(obj)
		case "deleted":
			c.OnDelete(obj)
		default:
			t.Fatal(step)
		}
	}
}

func TestTheNewerOfStoreAndWritesIsFound(t *testing.T) {
	for _, test := range []struct {
		promise string
		history history
		// strict is what is found if only what the store has is, adds otherwise.
		strict, adds string
	}{
		{"what is only in the store", history{"store x/3"}, "x/3", "x/3"},
		{"nothing", nil, "nothing", "nothing"},
		{"a write that the store has not seen", history{"store x/3", "written x/4"}, "x/4", "x/4"},
		{"a write that the store has overtaken", history{"store x/5", "written x/4"}, "x/5", "x/5"},
		{"a write that has come back", history{"store x/3", "written x/4", "store x/4"}, "x/4", "x/4"},
		{"versions are numbers, however long", history{"store x/9", "written x/10"}, "x/10", "x/10"},
		{"numbers beyond 64 bits", history{"store x/99999999999999999999", "written x/100000000000000000000"}, "x/100000000000000000000", "x/100000000000000000000"},
		{"no version is older than any", history{"store x/", "written x/1"}, "x/1", "x/1"},
		{"and any is newer than none", history{"store x/1", "written x/"}, "x/1", "x/1"},
		{"0 is no version", history{"store x/0", "written x/1"}, "x/1", "x/1"},
		{"without an order the store is believed", history{"store x/b", "written x/a"}, "x/b", "x/b"},
		{"and its word stays", history{"store x/b", "written x/a", "unstored"}, "nothing", "x/a"},
		{"the later of two writes", history{"store x/3", "written x/5", "written x/4"}, "x/5", "x/5"},
		{"the last of two writes without an order", history{"store x/", "written x/b", "written x/a"}, "x/a", "x/a"},

		{"an add", history{"written x/3"}, "nothing", "x/3"},
		{"an add that has come", history{"written x/3", "store x/3"}, "x/3", "x/3"},
		{"an add that has gone, and nobody said so", history{"written x/3", "store x/3", "unstored"}, "nothing", "x/3"},
		{"an add that somebody has seen come and go", history{"written x/3", "store x/3", "told x/3", "unstored"}, "nothing", "nothing"},
		{"an add, after an older version was told", history{"written x/3", "told x/2"}, "nothing", "x/3"},
		{"an add, after a version without an order was told", history{"written x/3", "told x/b"}, "nothing", "nothing"},
		{"a deleted add", history{"written x/3", "deleted x/4"}, "nothing", "nothing"},
		{"one whose deletion was of an older version", history{"written x/5", "deleted x/4"}, "nothing", "nothing"},
		{"one of the same name that is newer than what was deleted", history{"written y/5", "deleted x/4"}, "nothing", "y/5"},
		{"one of the same name that is older than what was deleted", history{"written y/3", "deleted x/4"}, "nothing", "nothing"},
		{"one of the same name, where there is no order", history{"written y/b", "deleted x/a"}, "nothing", "y/b"},

		{"a late answer of a write to what is deleted", history{"deleted x/4", "written x/3"}, "nothing", "nothing"},
		{"even with a newer version", history{"deleted x/4", "written x/5"}, "nothing", "nothing"},
		{"of another one of the name before", history{"deleted x/4", "written w/3"}, "nothing", "nothing"},
		{"or at the same version", history{"deleted x/4", "written y/4"}, "nothing", "nothing"},
		{"a new one of the name", history{"deleted x/4", "written y/5"}, "nothing", "y/5"},
		{"a new one of the name, where there is no order", history{"deleted x/a", "written y/b"}, "nothing", "y/b"},
		{"a new one of the name in the store", history{"deleted x/4", "store y/5"}, "y/5", "y/5"},
		{"a write to the new one", history{"deleted x/4", "store y/5", "written y/6"}, "y/6", "y/6"},
		{"the store, even where it is older than a deletion", history{"deleted x/4", "store x/3"}, "x/3", "x/3"},
		{"nothing told of what was not written", history{"told x/3", "deleted x/4", "deleted x/4"}, "nothing", "nothing"},
	} {
		t.Run(test.promise, func(t *testing.T) {
			for includeAdds, want := range map[bool]string{false: test.strict, true: test.adds} {
				store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
				c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: includeAdds})
				test.history.happensTo(t, store, c)
				for range 2 {
					require.Equal(t, want, foundIn(t, c, "a"), "include adds: %v", includeAdds)
				}
			}
		})
	}
}

// Whoever reads has been shown the store's new object, and a write that is older
// is not found again when that has left the store.
func TestWhatTheStoreHasOvertakenIsForgotten(t *testing.T) {
	for _, come := range []string{"x/3", "x/4"} {
		store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
		c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
		history{"written x/3", "store " + come}.happensTo(t, store, c)
		require.Equal(t, come, foundIn(t, c, "a"))
		history{"unstored"}.happensTo(t, store, c)
		require.Equal(t, "nothing", foundIn(t, c, "a"))
	}
}

func TestAWriteIsRememberedForATime(t *testing.T) {
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

func TestOnlySoManyWritesAreRemembered(t *testing.T) {
	for size, remembered := range map[int]int{3: 3, 0: 100, -1: 100} {
		store := NewIndexer(MetaNamespaceKeyFunc, Indexers{})
		c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true, MaxCacheSize: size})
		for i := range remembered + 1 {
			c.Mutation(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(i), ResourceVersion: "1"}})
			require.Equal(t, "/1", foundIn(t, c, "0"), "what is looked at is kept")
		}
		require.Equal(t, "nothing", foundIn(t, c, "1"), "it was not looked at longest")
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

func TestByIndexFindsTheNewer(t *testing.T) {
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
	items, err = adds.ByIndex("app", "nowhere")
	require.NoError(t, err)
	require.Empty(t, items)

	_, err = adds.ByIndex("colour", "red")
	require.ErrorContains(t, err, "colour")
	_, err = NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, true).ByIndex("app", "shop")
	require.ErrorIs(t, err, errNoIndexer)
}

// meddling is an Indexer in which something happens after it was asked for keys.
type meddling struct {
	Indexer
	then func()
}

func (m *meddling) IndexKeys(indexName, indexedValue string) ([]string, error) {
	keys, err := m.Indexer.IndexKeys(indexName, indexedValue)
	if m.then != nil {
		m.then()
	}
	return keys, err
}

// A write is found while it comes back: by who asks the index before that and for
// the writes after it, too.
func TestByIndexFindsWhatComesBackMeanwhile(t *testing.T) {
	written := labelledAt("a", "shop", "5")
	for _, test := range []struct {
		meanwhile string
		happens   func(store Indexer, c MutationCache)
		found     []any
	}{
		{"it is stored", func(store Indexer, _ MutationCache) { _ = store.Add(written) }, []any{written}},
		{"it is stored, and the handler tells", func(store Indexer, c MutationCache) {
			_ = store.Add(written)
			c.OnAddOrUpdate(written)
		}, []any{written}},
		{"it is stored, and somebody else asks", func(store Indexer, c MutationCache) {
			_ = store.Add(written)
			_, _, _ = c.GetByKey("default/a")
		}, []any{written}},
		{"it is stored under another value", func(store Indexer, _ MutationCache) {
			_ = store.Add(labelledAt("a", "bank", "6"))
		}, nil},
	} {
		t.Run(test.meanwhile, func(t *testing.T) {
			store := &meddling{Indexer: NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": appOf})}
			c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
			c.Mutation(written)
			store.then = func() { test.happens(store, c) }
			items, err := c.ByIndex("app", "shop")
			require.NoError(t, err)
			require.Equal(t, test.found, items)
		})
	}
}

// What the store has newer elsewhere is not found where it was written to, though
// nobody has told of it.
func TestByIndexDoesNotFindWhatHasMovedOn(t *testing.T) {
	store := NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": appOf})
	c := mutationCacheOver(store, MutationCacheOptions{IncludeAdds: true})
	c.Mutation(labelledAt("a", "shop", "5"))
	require.NoError(t, store.Add(labelledAt("a", "bank", "6")))
	items, err := c.ByIndex("app", "shop")
	require.NoError(t, err)
	require.Empty(t, items)
}

func TestAMutationCacheWithoutAStoreSaysSo(t *testing.T) {
	c := NewIntegerResourceVersionMutationCache(klog.Background(), nil, nil, 0, true)
	c.Mutation(version("x", "3"))
	_, _, err := c.GetByKey("a")
	require.ErrorIs(t, err, errNoBackingStore)
}

func TestWhatIsNoObjectIsNotRemembered(t *testing.T) {
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
	require.Equal(t, "a string", obj, "what has no version is what the store has")
}

func TestAnErrorOfTheStoreIsReturned(t *testing.T) {
	broken := errors.New("broken")
	store := &FakeCustomStore{GetByKeyFunc: func(string) (any, bool, error) { return nil, false, broken }}
	c := NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, true)
	c.Mutation(version("x", "3"))
	_, _, err := c.GetByKey("a")
	require.ErrorIs(t, err, broken)
}

// The store is the user's, and is asked without a lock: here it asks back. What
// happens after it has answered does not make an old answer new.
func TestWhatIsForgottenMeanwhileWasNewer(t *testing.T) {
	var c MutationCache
	store := &FakeCustomStore{GetByKeyFunc: func(string) (any, bool, error) {
		c.OnAddOrUpdate(version("x", "7"))
		return version("x", "5"), true, nil
	}}
	c = NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, 0, false)
	c.Mutation(version("x", "6"))
	require.Equal(t, "x/6", foundIn(t, c, "a"))
}

func TestAnObsoleteWriteIsForgottenAndNotAnotherOne(t *testing.T) {
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

// Whatever is written by several at once, and comes back as it may: who has once
// read a version never reads an older one, and when all has come back, what is
// found is what the store has.
func TestVersionsNeverGoBack(t *testing.T) {
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
