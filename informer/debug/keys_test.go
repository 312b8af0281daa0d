package debug

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All pages together are the sorted keys with the prefix
// and the search text.
func TestPageOfKeysMatchesSortedKeys(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		keys := make([]string, random.IntN(60))
		for i := range keys {
			keys[i] = fmt.Sprintf("%c/%02d", 'a'+random.IntN(3), random.IntN(100))
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		prefix := []string{"", "a", "b/", "c/1", "d"}[random.IntN(5)]
		search := []string{"", "", "/", "1", "/2"}[random.IntN(5)]
		var want []string
		for _, key := range keys {
			if strings.HasPrefix(key, prefix) && strings.Contains(key, search) {
				want = append(want, key)
			}
		}
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		limit := 1 + random.IntN(8)

		var got []string
		for after := ""; ; after = got[len(got)-1] {
			page, more := pageOfKeys(slices.Values(keys), prefix, search, after, limit)
			got = append(got, page...)
			if !more {
				break
			}
			require.Len(t, page, limit, "seed %d", seed)
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}

// A page of a large store holds at most twice its limit of keys.
func TestPageOfKeysUsesBoundedMemory(t *testing.T) {
	keys := func(yield func(string) bool) {
		for i := range 200_000 {
			if !yield(names[i*7919%len(names)]) {
				return
			}
		}
	}
	page, more := pageOfKeys(iter.Seq[string](keys), "", "", "", 10)
	require.True(t, more)
	require.Len(t, page, 10)
	require.LessOrEqual(t, cap(page), 64)
}

var names = func() []string {
	names := make([]string, 1009)
	for i := range names {
		names[i] = fmt.Sprintf("default/web-%04d", i)
	}
	return names
}()

func BenchmarkPageOfAMillionKeys(b *testing.B) {
	keys := make([]string, 1_000_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("default/web-%07d", i*7919%1_000_000)
	}
	b.ReportAllocs()
	for b.Loop() {
		pageOfKeys(slices.Values(keys), "", "", "", maxLimit)
	}
}
