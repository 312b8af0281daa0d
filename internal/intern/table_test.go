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

// Promise: "what is handed out is always right", whatever was asked for before.
func TestWhatIsHandedOutIsRight(t *testing.T) {
	table := New()
	for i := range 20 * sets * ways {
		text := strings.Repeat("x", i%(MaxLen+3)) + fmt.Sprint(i%(3*sets*ways))
		require.Equal(t, text, table.Get([]byte(text)))
		require.Equal(t, any(text), table.Boxed([]byte(text)))
	}
	require.Empty(t, table.Get(nil))
	require.Equal(t, any(""), table.Boxed([]byte{}))
}

// Promise: "hands out the copy it has made before".
func TestWhatComesAgainIsShared(t *testing.T) {
	table := New()
	for _, text := range []string{"a", "app.kubernetes.io/name", strings.Repeat("x", MaxLen)} {
		first := table.Get([]byte(text))
		require.True(t, shared(first, table.Get([]byte(text))))
		require.True(t, shared(first, table.Boxed([]byte(text)).(string)))
	}
	long := strings.Repeat("x", MaxLen+1)
	require.False(t, shared(table.Get([]byte(long)), table.Get([]byte(long))), "what is long is not kept")
}

// Promise: "A string that has come twice is not pushed out by ones that come
// once": a thousand names for each place in the table do not move it.
func TestStringsThatComeOncePushOutNoneThatCameTwice(t *testing.T) {
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
	// Three in one set, where two places are for them, are possible, if rare.
	require.LessOrEqual(t, lost, 3)
}

// Promise: "Nothing keeps the bytes that were passed in".
func TestTheBytesAreNotKept(t *testing.T) {
	table := New()
	b := []byte("label")
	first, boxed := table.Get(b), table.Boxed(b)
	copy(b, "XXXXX")
	require.Equal(t, "label", first)
	require.Equal(t, any("label"), boxed)
	require.Equal(t, "label", table.Get([]byte("label")))
}

// Two tables hash alike only by chance: nobody can make strings that collide.
func TestTheHashHasASeedOfItsOwn(t *testing.T) {
	require.NotEqual(t, New().seed, New().seed)
}

// A string that is known costs no memory.
func TestAllocations(t *testing.T) {
	table := New()
	text := []byte("app.kubernetes.io/name")
	table.Boxed(text)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = table.Get(text)
		_ = table.Boxed(text)
	}))
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
