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

// card is an object without metadata: its key is its name.
type card struct {
	name  string
	value int
}

func cardKey(obj any) (string, error) {
	if c, ok := obj.(card); ok {
		return c.name, nil
	}
	return "", errors.New("not a card")
}

// An ageing store is what a TTL store promises, without a thought for time or
// goroutines: each read looks at everything.
type ageing struct {
	ttl    time.Duration
	cards  map[string]card
	stored map[string]time.Time
}

func (a *ageing) add(c card) { a.cards[c.name], a.stored[c.name] = c, time.Now() }

func (a *ageing) left() map[string]card {
	left := map[string]card{}
	for name, c := range a.cards {
		if a.ttl <= 0 || time.Since(a.stored[name]) <= a.ttl {
			left[name] = c
		}
	}
	return left
}

func TestATTLStoreIsLikeItsTwin(t *testing.T) {
	for _, ttl := range []time.Duration{0, time.Second, time.Minute} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprint(ttl, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					random := rand.New(rand.NewPCG(seed, 1))
					store := NewTTLStore(cardKey, ttl)
					twin := &ageing{ttl: ttl, cards: map[string]card{}, stored: map[string]time.Time{}}
					for range 300 {
						ageOneStep(t, random, store, twin)
					}
				})
			})
		}
	}
}

func ageOneStep(t *testing.T, random *rand.Rand, store Store, twin *ageing) {
	c := card{name: string(rune('a' + random.IntN(5))), value: random.Int()}
	switch random.IntN(8) {
	case 0:
		time.Sleep(time.Duration(random.IntN(700)) * time.Millisecond)
	case 1:
		time.Sleep(time.Second)
	case 2:
		require.NoError(t, store.Add(c))
		twin.add(c)
	case 3:
		require.NoError(t, store.Update(c))
		twin.add(c)
	case 4:
		require.NoError(t, store.Delete(c))
		delete(twin.cards, c.name)
	case 5:
		if random.IntN(4) == 0 {
			require.NoError(t, store.Replace([]any{c}, "1"))
			clear(twin.cards)
			twin.add(c)
		}
	case 6:
		want, there := twin.left()[c.name]
		got, exists, err := store.GetByKey(c.name)
		require.NoError(t, err)
		require.Equal(t, there, exists)
		byObject, exists, err := store.Get(card{name: c.name})
		require.NoError(t, err)
		require.Equal(t, there, exists)
		if there {
			require.Equal(t, want, got)
			require.Equal(t, want, byObject)
		}
	case 7:
		left := twin.left()
		require.ElementsMatch(t, slices.Collect(maps.Keys(left)), store.ListKeys())
		var want []any
		for _, c := range left {
			want = append(want, c)
		}
		require.ElementsMatch(t, want, store.List())
	}
}

func TestWhatHasExpiredIsRemovedAndNamedOnce(t *testing.T) {
	deleted := make(chan string, 10)
	clock := testclock.NewFakeClock(time.Unix(1000, 0))
	store := NewFakeExpirationStore(cardKey, deleted, &TTLPolicy{TTL: time.Second, Clock: clock}, clock)
	require.NoError(t, store.Add(card{name: "a"}))
	clock.Step(time.Second)
	require.NoError(t, store.Add(card{name: "b"}))
	require.Len(t, store.List(), 2, "a is as old as it may be")

	clock.Step(1)
	require.Equal(t, []any{card{name: "b"}}, store.List())
	require.Equal(t, []string{"b"}, store.ListKeys())
	_, exists, err := store.GetByKey("a")
	require.NoError(t, err)
	require.False(t, exists)
	require.NoError(t, store.Delete(card{name: "b"}))
	require.Equal(t, "a", <-deleted)
	require.Empty(t, deleted, "what was deleted has not expired")
	require.Zero(t, store.(*ExpirationCache).entries.Len())
}

func TestAFakePolicyNamesWhatDoesNotExpire(t *testing.T) {
	ofObject := func(obj any) (string, error) { return cardKey(obj.(*TimestampedEntry).Obj) }
	for name, keyFunc := range map[string]KeyFunc{"the object's key": ofObject, "the key it is stored under": nil} {
		policy := &FakeExpirationPolicy{NeverExpire: sets.New("a"), RetrieveKeyFunc: keyFunc}
		store := NewFakeExpirationStore(cardKey, nil, policy, nil)
		for _, name := range []string{"a", "b"} {
			require.NoError(t, store.Add(card{name: name}))
		}
		require.NoError(t, store.Add(card{name: "a", value: 2}))
		require.Equal(t, []any{card{name: "a", value: 2}}, store.List(), name)
	}
}

// policyFunc is a policy that does something on the way.
type policyFunc func(*TimestampedEntry) bool

func (f policyFunc) IsExpired(entry *TimestampedEntry) bool { return f(entry) }

// A policy is asked without a lock, and what is stored while it thinks is not
// removed in the place of what has expired.
func TestWhatIsStoredMeanwhileHasNotExpired(t *testing.T) {
	var store Store
	store = NewExpirationStore(cardKey, policyFunc(func(entry *TimestampedEntry) bool {
		old := entry.Obj.(card).value == 1
		if old {
			require.NoError(t, store.Add(card{name: "a", value: 2}))
		}
		return old
	}))
	require.NoError(t, store.Add(card{name: "a", value: 1}))
	_, exists, err := store.GetByKey("a")
	require.NoError(t, err)
	require.False(t, exists, "what was there when it was looked at had expired")
	obj, exists, err := store.GetByKey("a")
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, card{name: "a", value: 2}, obj)
}

// Whoever finds that an object has expired does not remove what somebody else has
// stored in its place.
func TestWhatIsStoredAtTheSameTimeStays(t *testing.T) {
	store := NewExpirationStore(cardKey, policyFunc(func(entry *TimestampedEntry) bool { return entry.Obj.(card).value == 0 }))
	var reading sync.WaitGroup
	for range 2000 {
		require.NoError(t, store.Add(card{name: "a", value: 0}))
		for range 3 {
			reading.Go(func() { store.List() })
		}
		require.NoError(t, store.Add(card{name: "a", value: 1}))
		reading.Wait()
		require.Equal(t, []any{card{name: "a", value: 1}}, store.List())
	}
}

func TestAnExpirationStoreKnowsItsVersion(t *testing.T) {
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

func TestWhatHasNoKeyIsNotStored(t *testing.T) {
	store := NewExpirationStore(cardKey, nil)
	require.NoError(t, store.Add(card{name: "a"}))
	var keyError KeyError
	for name, err := range map[string]error{
		"Add": store.Add("x"), "Update": store.Update("x"), "Delete": store.Delete("x"),
		"Get": func() error { _, _, err := store.Get("x"); return err }(), "Replace": store.Replace([]any{card{name: "b"}, "x"}, "1"),
	} {
		require.ErrorAs(t, err, &keyError, name)
		require.Equal(t, "x", keyError.Obj, name)
	}
	require.Equal(t, []string{"a"}, store.ListKeys(), "without a policy nothing expires")
	require.Error(t, NewTTLStore(nil, 0).Add(card{name: "a"}), "without a key function nothing has a key")
}

func TestAPolicyWithoutAClockHasTheRealOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy, entry := &TTLPolicy{TTL: time.Second}, &TimestampedEntry{Timestamp: time.Now()}
		require.False(t, policy.IsExpired(entry))
		time.Sleep(time.Second + 1)
		require.True(t, policy.IsExpired(entry))
		require.False(t, (&TTLPolicy{TTL: -1}).IsExpired(entry))
		require.False(t, (*TTLPolicy)(nil).IsExpired(entry))
	})
}
