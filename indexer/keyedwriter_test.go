package indexer

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func contentsOf[T any](ix *Indexer[T]) map[string]T {
	all := map[string]T{}
	for key := range ix.Keys() {
		all[key], _ = ix.Get(key)
	}
	return all
}

// Promise: a KeyedWriter writes under the keys of the caller, which may be any string
// including "", and does not call KeyFunc.
func TestKeyedWriterDoesNotCallKeyFunc(t *testing.T) {
	ix := New(Options[int]{KeyFunc: func(int) (string, error) { panic("KeyFunc must not be called") }})
	parity, err := ix.AddIndex("parity", func(n int) []string { return []string{[]string{"even", "odd"}[n%2]} })
	require.NoError(t, err)
	k := ix.KeyedWriter()
	k.Set("a", 1, "")
	k.Set("", 2, "")
	k.Set("a", 3, "")
	require.Equal(t, map[string]int{"a": 3, "": 2}, contentsOf(ix))
	require.Equal(t, []int{3}, slices.Collect(parity.Find("odd")))

	changes := []Change[int]{{Key: "", Object: 5}, {Key: "a", Delete: true}, {Key: "b", Object: 7}}
	k.Apply(changes, "")
	require.Equal(t, map[string]int{"": 5, "b": 7}, contentsOf(ix))
	require.Equal(t, 2, changes[0].Old)
	require.True(t, changes[1].Existed)
	require.False(t, changes[2].Existed)

	k.Delete("", "")
	k.Delete("absent", "")
	require.Equal(t, map[string]int{"b": 7}, contentsOf(ix))

	k.Replace([]string{"", "x", "x"}, []int{9, 10, 12}, "")
	require.Equal(t, map[string]int{"": 9, "x": 12}, contentsOf(ix))
	require.Equal(t, []int{9}, slices.Collect(parity.Find("odd")))
	require.Panics(t, func() { k.Replace([]string{"x"}, nil, "") })
}

// Promise: Set, Delete and Apply of a KeyedWriter only advance the version of the
// store. Replace may also set an older version.
func TestOnlyReplaceOfKeyedWriterSetsOlderVersion(t *testing.T) {
	ix := New(Options[int]{})
	k := ix.KeyedWriter()
	for _, step := range []struct {
		name  string
		write func()
		want  string
	}{
		{"first version", func() { k.Set("a", 1, "10") }, "10"},
		{"Set with an older version", func() { k.Set("b", 1, "9") }, "10"},
		{"Set without a version", func() { k.Set("b", 1, "") }, "10"},
		{"Delete with an older version", func() { k.Delete("b", "8") }, "10"},
		{"Delete with a newer version", func() { k.Delete("b", "11") }, "11"},
		{"Apply with an older version", func() { k.Apply([]Change[int]{{Key: "c"}}, "7") }, "11"},
		{"Apply with a newer version", func() { k.Apply([]Change[int]{{Key: "c"}}, "12") }, "12"},
		{"Replace without a version", func() { k.Replace(nil, nil, "") }, "12"},
		{"Replace with an older version", func() { k.Replace(nil, nil, "5") }, "5"},
		{"Set with a version that cannot be compared", func() { k.Set("a", 1, "x") }, "x"},
	} {
		step.write()
		require.Equal(t, step.want, ix.Version(), step.name)
	}
}

// Promise: with a MetaFunc, Set and Replace of a KeyedWriter compare UIDs and versions
// with the stored object. Delete and Apply do not.
func TestKeyedWriterWithMetaFunc(t *testing.T) {
	ix := New(Options[*item]{
		KeyFunc:  func(it *item) (string, error) { return it.key, nil },
		MetaFunc: func(it *item) (types.UID, string) { return it.uid, string(rune('0' + it.version)) },
	})
	newest, older := &item{key: "a", uid: "1", version: 5}, &item{key: "a", uid: "1", version: 4}
	again := &item{key: "a", uid: "1", version: 5}
	k := ix.KeyedWriter()
	k.Set("a", newest, "5")
	k.Set("a", older, "4")
	require.Same(t, newest, contentsOf(ix)["a"])
	k.Replace([]string{"a"}, []*item{again}, "5")
	require.Same(t, newest, contentsOf(ix)["a"], "an unchanged object keeps its pointer")
	k.Apply([]Change[*item]{{Key: "a", Object: older}}, "4")
	require.Same(t, older, contentsOf(ix)["a"])
	k.Delete("a", "1")
	require.Empty(t, contentsOf(ix))
}

// Promise: FindAny yields each object once, and FindKeys the keys of the objects. Both
// read the version of their snapshot, also if it is older than the index.
func TestFindAnyYieldsEachObjectOnce(t *testing.T) {
	ix := New(Options[[]string]{})
	k := ix.KeyedWriter()
	for key, words := range map[string][]string{
		"1": {"a"}, "2": {"a", "b"}, "3": {"b", "c", "b"}, "4": nil, "5": {"c"}, "6": {"a", "b", "c", "d", "e"},
	} {
		k.Set(key, words, "")
	}
	before := ix.Snapshot()
	require.NoError(t, ix.AddIndexes(map[string]func([]string) []string{"word": func(words []string) []string { return words }}))
	word, ok := ix.Index("word")
	require.True(t, ok)
	after := ix.Snapshot()
	k.Set("7", []string{"a", "b"}, "")
	k.Delete("2", "")

	for name, s := range map[string]Snapshot[[]string]{"older than the index": before, "with the index": after} {
		t.Run(name, func(t *testing.T) {
			for value, want := range map[string][]string{"a": {"1", "2", "6"}, "b": {"2", "3", "6"}, "e": {"6"}, "z": nil} {
				require.Equal(t, want, slices.Sorted(s.FindKeys(word, value)), value)
			}
			for _, c := range []struct {
				values []string
				want   int
			}{{nil, 0}, {[]string{"a"}, 3}, {[]string{"a", "b"}, 4}, {[]string{"a", "a"}, 3}, {[]string{"z", "c"}, 3}} {
				n := 0
				for range s.FindAny(word, c.values) {
					n++
				}
				require.Equal(t, c.want, n, c.values)
			}
		})
	}
	for range ix.Snapshot().FindAny(word, []string{"a", "b"}) {
		break
	}
	for range ix.Snapshot().FindKeys(word, "a") {
		break
	}
	other := New(Options[[]string]{}).Snapshot()
	require.Empty(t, slices.Collect(other.FindKeys(word, "a")), "an index of another indexer finds nothing")
}

// Promise: AddIndexes adds an index for each function, or none if there is an error.
// Indexes yields the indexes.
func TestAddIndexesAddsAllOrNone(t *testing.T) {
	ix := New(Options[int]{})
	ix.KeyedWriter().Set("a", 1, "")
	one := func(int) []string { return []string{"one"} }
	names := func() (names []string) {
		for i := range ix.Indexes() {
			names = append(names, i.Name())
		}
		return names
	}
	require.NoError(t, ix.AddIndexes(map[string]func(int) []string{"b": one, "a": one}))
	require.Equal(t, []string{"a", "b"}, names())
	require.ErrorIs(t, ix.AddIndexes(map[string]func(int) []string{"b": one, "c": one}), ErrIndexExists)
	require.ErrorIs(t, ix.AddIndexes(map[string]func(int) []string{"c": one, "d": nil}), ErrNoIndexFunc)
	require.NoError(t, ix.AddIndexes(nil))
	require.Equal(t, []string{"a", "b"}, names())
	for i := range ix.Indexes() {
		require.Equal(t, []int{1}, slices.Collect(i.Find("one")))
		require.Equal(t, []string{"one"}, i.ValuesOf(5))
		break
	}
	ix.KeyedWriter().Set("b", 2, "")
	b, _ := ix.Index("b")
	require.Equal(t, 2, b.Count("one"))
}
