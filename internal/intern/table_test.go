package intern

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func shared(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// Promise: "The result is always correct".
func TestResultsAreCorrect(t *testing.T) {
	table := New()
	for i := range 20 * sets * ways {
		text := strings.Repeat("x", i%(MaxLen+3)) + fmt.Sprint(i%(3*sets*ways))
		require.Equal(t, text, table.Get([]byte(text)))
		require.Equal(t, any(text), table.Boxed([]byte(text)))
	}
	require.Empty(t, table.Get(nil))
	require.Equal(t, any(""), table.Boxed([]byte{}))
}

// Promise: "returns the copy that it made before".
func TestRepeatedStringsAreShared(t *testing.T) {
	table := New()
	for _, text := range []string{"a", "app.kubernetes.io/name", strings.Repeat("x", MaxLen)} {
		first := table.Get([]byte(text))
		require.True(t, shared(first, table.Get([]byte(text))))
		require.True(t, shared(first, table.Boxed([]byte(text)).(string)))
	}
	long := strings.Repeat("x", MaxLen+1)
	require.False(t, shared(table.Get([]byte(long)), table.Get([]byte(long))), "long strings are not kept")
}

// Promise: "A string that has occurred twice is not evicted by strings that occur
// once", even by a thousand strings for each entry of the table.
func TestRepeatedStringsAreNotEvicted(t *testing.T) {
	table := New()
	kept := make([]string, 32)
	for i := range kept {
		text := []byte(fmt.Sprintf("kept-%d", i))
		table.Get(text)
		kept[i] = table.Get(text)
	}
	for i := range 1000 * sets {
		table.Get(fmt.Appendf(nil, "once-%d", i))
	}
	lost := 0
	for i, text := range kept {
		if !shared(text, table.Get(fmt.Appendf(nil, "kept-%d", i))) {
			lost++
		}
	}
	// Three of them may share a set, which has two entries for them. That is rare.
	require.LessOrEqual(t, lost, 3)
}

// Promise: "The table does not retain the bytes that are passed in".
func TestInputIsNotRetained(t *testing.T) {
	table := New()
	b := []byte("label")
	first, boxed := table.Get(b), table.Boxed(b)
	copy(b, "XXXXX")
	require.Equal(t, "label", first)
	require.Equal(t, any("label"), boxed)
	require.Equal(t, "label", table.Get([]byte("label")))
}

// Each table has its own seed, so collisions cannot be crafted.
func TestHashSeedIsRandom(t *testing.T) {
	require.NotEqual(t, New().seed, New().seed)
}

// A known string takes no allocation.
func TestAllocations(t *testing.T) {
	table := New()
	text := []byte("app.kubernetes.io/name")
	table.Boxed(text)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = table.Get(text)
		_ = table.Boxed(text)
	}))
}

// Promise of New: "It takes 256 bytes, and 68 KiB when it is full". An idle watch has a
// table, so that one which allocates all entries at once costs 64 KiB for each.
func TestAnEmptyTableIsSmall(t *testing.T) {
	table, allocated := New(), 0
	require.LessOrEqual(t, int(unsafe.Sizeof(*table))+len(table.sets)*8, 256+64)
	for i := range 10 {
		table.Get(fmt.Appendf(nil, "label-%d", i))
	}
	for _, set := range table.sets {
		if set != nil {
			allocated++
		}
	}
	require.NotZero(t, allocated)
	require.LessOrEqual(t, allocated, 10, "only sets that are used are allocated")
	for i := range 100 * sets * ways {
		table.Get(fmt.Appendf(nil, "label-%d", i))
	}
	require.Len(t, table.sets, sets)
}

func BenchmarkGet(b *testing.B) {
	table := New()
	var texts [][]byte
	for i := range 100 {
		texts = append(texts, fmt.Appendf(nil, "app.kubernetes.io/label-%d", i))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		table.Get(texts[i%len(texts)])
		i++
	}
}
