package cache

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// ranked is an object in a heap.
type ranked struct {
	key  string
	rank int
}

func rankedKey(obj any) (string, error) {
	r, ok := obj.(ranked)
	if !ok {
		return "", errNoName
	}
	return r.key, nil
}

func rankedLess(a, b any) bool { return a.(ranked).rank < b.(ranked).rank }

// If the LessFunc panics on an object of another type, only that object is not
// added.
func TestHeapRejectsIncomparableObjects(t *testing.T) {
	key := func(obj any) (string, error) {
		if r, ok := obj.(ranked); ok {
			return r.key, nil
		}
		return obj.(string), nil
	}
	heap := NewHeap(key, rankedLess)
	for _, r := range []ranked{{"a", 3}, {"b", 1}, {"c", 2}, {"d", 4}} {
		require.NoError(t, heap.Add(r))
	}
	require.Panics(t, func() { _ = heap.Add("new") })
	require.Panics(t, func() { _ = heap.Update("a") })
	require.Panics(t, func() { _ = heap.BulkAdd([]any{ranked{"e", 0}, "b"}) })
	require.Len(t, heap.List(), 5)
	for _, want := range []ranked{{"e", 0}, {"b", 1}, {"c", 2}, {"a", 3}, {"d", 4}} {
		popped, err := heap.Pop()
		require.NoError(t, err)
		require.Equal(t, want, popped)
	}
}

// A heap contains the same objects as a map, and pops an object that no other
// object precedes.
func TestHeapModel(t *testing.T) {
	for seed := range uint64(100) {
		if runHeapModel(t, seed); t.Failed() {
			t.Logf("the seed is %d", seed)
			return
		}
	}
}

func runHeapModel(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	heap, reference := NewHeap(rankedKey, rankedLess), map[string]any{}
	next := func() ranked { return ranked{strconv.Itoa(rng.IntN(20)), rng.IntN(10)} }
	for range 80 {
		r := next()
		switch rng.IntN(9) {
		case 0, 1:
			require.NoError(t, heap.Add(r))
			reference[r.key] = r
		case 2:
			require.NoError(t, heap.Update(r))
			reference[r.key] = r
		case 3:
			require.NoError(t, heap.AddIfNotPresent(r))
			if _, ok := reference[r.key]; !ok {
				reference[r.key] = r
			}
		case 4:
			other := next()
			require.NoError(t, heap.BulkAdd([]any{r, other}))
			reference[r.key] = r
			reference[other.key] = other
		case 5:
			_, ok := reference[r.key]
			require.Equal(t, !ok, heap.Delete(r) != nil)
			delete(reference, r.key)
		case 6:
			obj, ok, err := heap.Get(r)
			require.NoError(t, err)
			want, exists := reference[r.key]
			require.Equal(t, exists, ok)
			require.Equal(t, want, obj)
		default:
			popFromBoth(t, heap, reference)
		}
		require.ElementsMatch(t, slices.Collect(maps.Values(reference)), heap.List())
		require.ElementsMatch(t, slices.Collect(maps.Keys(reference)), heap.ListKeys())
	}
	heap.Close()
	for len(reference) > 0 {
		popFromBoth(t, heap, reference)
	}
	_, err := heap.Pop()
	require.ErrorIs(t, err, errHeapClosed)
}

func popFromBoth(t *testing.T, heap *Heap, reference map[string]any) {
	if len(reference) == 0 {
		return
	}
	obj, err := heap.Pop()
	require.NoError(t, err)
	popped := obj.(ranked)
	require.Equal(t, reference[popped.key], obj)
	for _, other := range reference {
		require.False(t, rankedLess(other, obj), "%v comes before %v", other, obj)
	}
	delete(reference, popped.key)
}

// "BulkAdd adds all objects of list before any of them can be popped. If one
// of them has no key, none is added."
func TestHeapBulkAddIsAtomic(t *testing.T) {
	heap := NewHeap(rankedKey, rankedLess)
	require.ErrorAs(t, heap.BulkAdd([]any{ranked{"A", 1}, 7}), &KeyError{})
	require.Empty(t, heap.List())
}

// Objects without a key, and a heap without a LessFunc, are errors.
func TestHeapWithoutFunctionsReturnsErrors(t *testing.T) {
	heap := NewHeap(rankedKey, rankedLess)
	require.ErrorAs(t, heap.Add(7), &KeyError{})
	require.ErrorAs(t, heap.Delete(7), &KeyError{})
	_, _, err := heap.Get(7)
	require.ErrorAs(t, err, &KeyError{})
	require.ErrorIs(t, NewHeap(nil, rankedLess).Add(ranked{}), errNoKeyFunc)
	require.ErrorIs(t, NewHeap(rankedKey, nil).Add(ranked{}), errNoLessFunc)
}

// Pop waits for an object. Close ends the wait.
func TestHeapPopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heap := NewHeap(rankedKey, rankedLess)
		var popped []any
		var last error
		go func() {
			for last == nil {
				var obj any
				if obj, last = heap.Pop(); last == nil {
					popped = append(popped, obj)
				}
			}
		}()
		synctest.Wait()
		require.Empty(t, popped)
		require.NoError(t, heap.BulkAdd([]any{ranked{"A", 3}, ranked{"B", 1}, ranked{"C", 2}}))
		synctest.Wait()
		require.Equal(t, []any{ranked{"B", 1}, ranked{"C", 2}, ranked{"A", 3}}, popped)
		require.False(t, heap.IsClosed())
		heap.Close()
		synctest.Wait()
		require.True(t, heap.IsClosed())
		require.ErrorIs(t, last, errHeapClosed)
		require.ErrorIs(t, heap.Add(ranked{"D", 1}), errHeapClosed)
	})
}
