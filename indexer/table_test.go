package indexer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Promise: a table that is filled and emptied at random has the same contents as a map.
// Old versions of the table do not change when new ones write to their pages.
func TestTableMatchesMap(t *testing.T) {
	type version struct {
		table table
		want  map[string]uint32
	}
	for seed := range 20 {
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		var tab table
		want := map[string]uint32{}
		var free []uint32
		var versions []version
		size := []int{10, 100, 2000}[seed%3]
		for owner := token(1); owner < 3000; owner++ {
			key := fmt.Sprint("key-", rng.IntN(size))
			id, exists := want[key]
			got, ok := tab.find(key, hashOf(key))
			require.Equal(t, exists, ok)
			require.Equal(t, id, got)
			switch {
			case exists:
				tab.remove(key, hashOf(key), owner)
				delete(want, key)
				free = append(free, id)
			default:
				id := tab.bound
				if len(free) > 0 && rng.IntN(2) == 0 {
					id, free = free[0], free[1:]
				}
				tab.insert(key, hashOf(key), id, owner)
				want[key] = id
			}
			if rng.IntN(300) == 0 {
				versions = append(versions, version{tab, maps.Clone(want)})
			}
			if owner%1000 == 0 { // empty the table, so that it also shrinks
				for key := range want {
					tab.remove(key, hashOf(key), owner)
				}
				require.Zero(t, tab.live)
				require.EqualValues(t, 1, tab.pages)
				clear(want)
				free = nil
			}
		}
		for _, version := range append(versions, version{tab, want}) {
			require.Equal(t, version.want, maps.Collect(version.table.all()))
			for key, id := range version.want {
				got, ok := version.table.find(key, hashOf(key))
				require.True(t, ok)
				require.Equal(t, id, got)
			}
		}
	}
}

// Promise: keys with equal tags are distinguished by comparing the keys.
func TestTableWithEqualTags(t *testing.T) {
	var tab table
	tab.reserve(100, 1)         // otherwise the table grows and computes the real hashes
	for i := range uint32(20) { // more than a page has, all with one hash
		tab.insert(fmt.Sprint(i), 0, i, 1)
	}
	for i := range uint32(20) {
		id, ok := tab.find(fmt.Sprint(i), 0)
		require.True(t, ok)
		require.Equal(t, i, id)
	}
	_, ok := tab.find("20", 0)
	require.False(t, ok)
}

// Promise: after reserve(n), n insertions do not make the table grow.
func TestReservedTableDoesNotGrow(t *testing.T) {
	for _, n := range []int{0, 1, 5, 6, 1000} {
		var tab table
		tab.reserve(n, 1)
		pages := tab.pages
		for i := range uint32(n) {
			key := fmt.Sprint(i)
			tab.insert(key, hashOf(key), i, 1)
		}
		require.Equal(t, pages, tab.pages, "the table must not grow")
		require.Len(t, maps.Collect(tab.all()), n)
	}
}
