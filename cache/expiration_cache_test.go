package cache

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	testclock "k8s.io/utils/clock/testing"
)

// testItem is an object without metadata; its name is its key.
type testItem struct {
	name  string
	value int
}

func testItemKey(obj any) (string, error) {
	if c, ok := obj.(testItem); ok {
		return c.name, nil
	}
	return "", errors.New("not a testItem")
}

// referenceTTLStore is a TTL store without goroutines: each read examines all
// items.
type referenceTTLStore struct {
	ttl    time.Duration
	items  map[string]testItem
	stored map[string]time.Time
}

func (s *referenceTTLStore) add(c testItem) { s.items[c.name], s.stored[c.name] = c, time.Now() }

func (s *referenceTTLStore) unexpired() map[string]testItem {
	left := map[string]testItem{}
	for name, c := range s.items {
		if s.ttl <= 0 || time.Since(s.stored[name]) <= s.ttl {
			left[name] = c
		}
	}
	return left
}

func TestTTLStoreMatchesModel(t *testing.T) {
	for _, ttl := range []time.Duration{0, time.Second, time.Minute} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprint(ttl, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					random := rand.New(rand.NewPCG(seed, 1))
					store := NewTTLStore(testItemKey, ttl)
					reference := &referenceTTLStore{ttl: ttl, items: map[string]testItem{}, stored: map[string]time.Time{}}
					for range 300 {
						stepTTLStore(t, random, store, reference)
					}
				})
			})
		}
	}
}

func stepTTLStore(t *testing.T, random *rand.Rand, store Store, reference *referenceTTLStore) {
	c := testItem{name: string(rune('a' + random.IntN(5))), value: random.Int()}
	switch random.IntN(8) {
	case 0:
		time.Sleep(time.Duration(random.IntN(700)) * time.Millisecond)
	case 1:
		time.Sleep(time.Second)
	case 2:
		require.NoError(t, store.Add(c))
		reference.add(c)
	case 3:
		require.NoError(t, store.Update(c))
		reference.add(c)
	case 4:
		require.NoError(t, store.Delete(c))
		delete(reference.items, c.name)
	case 5:
		if random.IntN(4) == 0 {
			require.NoError(t, store.Replace([]any{c}, "1"))
			clear(reference.items)
			reference.add(c)
		}
	case 6:
		want, wantExists := reference.unexpired()[c.name]
		got, exists, err := store.GetByKey(c.name)
		require.NoError(t, err)
		require.Equal(t, wantExists, exists)
		byObject, exists, err := store.Get(testItem{name: c.name})
		require.NoError(t, err)
		require.Equal(t, wantExists, exists)
		if wantExists {
			require.Equal(t, want, got)
			require.Equal(t, want, byObject)
		}
	case 7:
		left := reference.unexpired()
		require.ElementsMatch(t, slices.Collect(maps.Keys(left)), store.ListKeys())
		var want []any
		for _, c := range left {
			want = append(want, c)
		}
		require.ElementsMatch(t, want, store.List())
	}
}

func TestExpiredObjectIsRemovedOnce(t *testing.T) {
	deleted := make(chan string, 10)
	clock := testclock.NewFakeClock(time.Unix(1000, 0))
	store := NewFakeExpirationStore(testItemKey, deleted, &TTLPolicy{TTL: time.Second, Clock: clock}, clock)
	require.NoError(t, store.Add(testItem{name: "a"}))
	clock.Step(time.Second)
	require.NoError(t, store.Add(testItem{name: "b"}))
	require.Len(t, store.List(), 2, "the age of a is exactly the TTL")

	clock.Step(1)
	require.Equal(t, []any{testItem{name: "b"}}, store.List())
	require.Equal(t, []string{"b"}, store.ListKeys())
	_, exists, err := store.GetByKey("a")
	require.NoError(t, err)
	require.False(t, exists)
	require.NoError(t, store.Delete(testItem{name: "b"}))
	require.Equal(t, "a", <-deleted)
	require.Empty(t, deleted, "a deletion is not an expiration")
	require.Zero(t, store.(*ExpirationCache).entries.Len())
}

func TestFakeExpirationPolicy(t *testing.T) {
	ofObject := func(obj any) (string, error) { return testItemKey(obj.(*TimestampedEntry).Obj) }
	for name, keyFunc := range map[string]KeyFunc{"key of the object": ofObject, "stored key": nil} {
		policy := &FakeExpirationPolicy{NeverExpire: sets.New("a"), RetrieveKeyFunc: keyFunc}
		store := NewFakeExpirationStore(testItemKey, nil, policy, nil)
		for _, name := range []string{"a", "b"} {
			require.NoError(t, store.Add(testItem{name: name}))
		}
		require.NoError(t, store.Add(testItem{name: "a", value: 2}))
		require.Equal(t, []any{testItem{name: "a", value: 2}}, store.List(), name)
	}
}

// policyFunc is an ExpirationPolicy made of a function.
type policyFunc func(*TimestampedEntry) bool

func (f policyFunc) IsExpired(entry *TimestampedEntry) bool { return f(entry) }

// IsExpired is called without a lock. An object that is stored during the call
// is not removed.
func TestReplacedObjectDoesNotExpire(t *testing.T) {
	var store Store
	store = NewExpirationStore(testItemKey, policyFunc(func(entry *TimestampedEntry) bool {
		old := entry.Obj.(testItem).value == 1
		if old {
			require.NoError(t, store.Add(testItem{name: "a", value: 2}))
		}
		return old
	}))
	require.NoError(t, store.Add(testItem{name: "a", value: 1}))
	_, exists, err := store.GetByKey("a")
	require.NoError(t, err)
	require.False(t, exists, "the object that was read had expired")
	obj, exists, err := store.GetByKey("a")
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, testItem{name: "a", value: 2}, obj)
}

// A reader that finds an expired object does not remove an object that was
// stored in the meantime.
func TestConcurrentAddDuringExpiration(t *testing.T) {
	store := NewExpirationStore(testItemKey, policyFunc(func(entry *TimestampedEntry) bool { return entry.Obj.(testItem).value == 0 }))
	var reading sync.WaitGroup
	for range 2000 {
		require.NoError(t, store.Add(testItem{name: "a", value: 0}))
		for range 3 {
			reading.Go(func() { store.List() })
		}
		require.NoError(t, store.Add(testItem{name: "a", value: 1}))
		reading.Wait()
		require.Equal(t, []any{testItem{name: "a", value: 1}}, store.List())
	}
}

func TestExpirationStoreVersion(t *testing.T) {
	store := NewTTLStore(MetaNamespaceKeyFunc, 0)
	at := func(version string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: version}}
	}
	require.NoError(t, store.Replace([]any{at("3")}, "5"))
	require.Equal(t, "5", store.LastStoreSyncResourceVersion())
	require.NoError(t, store.Update(at("6")))
	require.Equal(t, "6", store.LastStoreSyncResourceVersion())
	require.NoError(t, store.Delete(at("7")))
	require.Equal(t, "7", store.LastStoreSyncResourceVersion())
	store.Bookmark("9")
	require.Equal(t, "9", store.LastStoreSyncResourceVersion())
	require.NoError(t, store.Resync())
}

func TestObjectWithoutKeyIsNotStored(t *testing.T) {
	store := NewExpirationStore(testItemKey, nil)
	require.NoError(t, store.Add(testItem{name: "a"}))
	var keyError KeyError
	for name, err := range map[string]error{
		"Add": store.Add("x"), "Update": store.Update("x"), "Delete": store.Delete("x"),
		"Get": func() error { _, _, err := store.Get("x"); return err }(), "Replace": store.Replace([]any{testItem{name: "b"}, "x"}, "1"),
	} {
		require.ErrorAs(t, err, &keyError, name)
		require.Equal(t, "x", keyError.Obj, name)
	}
	require.Equal(t, []string{"a"}, store.ListKeys(), "without a policy")
	require.Error(t, NewTTLStore(nil, 0).Add(testItem{name: "a"}), "without a key function")
}

func TestTTLPolicyDefaultsToRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy, entry := &TTLPolicy{TTL: time.Second}, &TimestampedEntry{Timestamp: time.Now()}
		require.False(t, policy.IsExpired(entry))
		time.Sleep(time.Second + 1)
		require.True(t, policy.IsExpired(entry))
		require.False(t, (&TTLPolicy{TTL: -1}).IsExpired(entry))
		require.False(t, (*TTLPolicy)(nil).IsExpired(entry))
	})
}
