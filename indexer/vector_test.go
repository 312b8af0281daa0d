package indexer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Promise: a vector has the same contents as a slice after random pushes, pops, sets
// and clears. Old versions of the vector do not change.
func TestVectorMatchesSlice(t *testing.T) {
	type version struct {
		v    vector[int]
		want []int // -1: a hole
	}
	for seed := range 30 {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		var v vector[int]
		var want []int
		var versions []version
		size := []int{20, 600, 3000}[seed%3]
		for owner := token(1); owner < 400; owner++ {
			for range rng.IntN(8) {
				n := uint32(len(want))
				grow := rng.IntN(size) > len(want)
				switch x := rng.IntN(100); {
				case grow:
					for range 1 + rng.IntN(size/10) {
						v.push(uint32(len(want)), x, owner)
						want = append(want, x)
					}
				case n == 0:
				case x < 50:
					v.pop(n, owner)
					want = want[: n-1 : n-1]
				case x < 75:
					i := rng.IntN(len(want))
					v.set(uint32(i), n, x, owner)
					want = append([]int(nil), want...)
					want[i] = x
				default:
					i := rng.IntN(len(want))
					v.clear(uint32(i), n, owner)
					want = append([]int(nil), want...)
					want[i] = -1
				}
			}
			v.trim(uint32(len(want)))
			if rng.IntN(40) == 0 {
				versions = append(versions, version{v, append([]int(nil), want...)})
			}
		}
		for _, version := range append(versions, version{v, want}) {
			n := uint32(len(version.want))
			for i, x := range version.want {
				leaf := version.v.leafAt(uint32(i), n)
				hole := leaf.holes>>(i%leafSize)&1 == 1
				require.Equal(t, x == -1, hole)
				if !hole {
					require.Equal(t, x, leaf.items[i%leafSize])
				}
			}
		}
	}
}

// Promise: the tree of a vector gains a level at each length that the constants
// define. The test does not fill the largest level, but reads and writes at the
// borders of the others.
func TestVectorGrowsAtItsLimits(t *testing.T) {
	var v vector[uint32]
	const n = maxLen3 + 3*leafSize
	for i := range uint32(n) {
		v.push(i, i, 1)
	}
	for i := uint32(0); i < n; i += 7 {
		require.Equal(t, i, v.get(i, n))
	}
	for _, i := range []uint32{0, maxLen0, maxLen1, maxLen2, maxLen3, n - 1} {
		v.set(i, n, 0, 2)
		require.Zero(t, v.get(i, n))
	}
	v.trim(n)
	for i := uint32(n); i > maxLen3-3; i-- {
		v.pop(i, 3)
	}
	require.Equal(t, uint32(maxLen3-4), v.get(maxLen3-4, maxLen3-3))
}
