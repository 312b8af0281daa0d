package cache

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// The version of a store is the newest that it was told of. Only Replace, which is
// what a relist ends with, takes it back.
func TestStoreVersion(t *testing.T) {
	s := NewStore(MetaNamespaceKeyFunc)
	write := func(write func(any) error, version string) func() {
		return func() { require.NoError(t, write(newThing("", "a", version, ""))) }
	}
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"new", func() {}, ""},
		{"add", write(s.Add, "9"), "9"},
		{"update to a newer one, by number and not by letter", write(s.Update, "10"), "10"},
		{"update to an older one", write(s.Update, "7"), "10"},
		{"update to one without a version", write(s.Update, ""), "10"},
		{"delete", write(s.Delete, "11"), "11"},
		{"delete of an older one", write(s.Delete, "8"), "11"},
		{"bookmark", func() { s.Bookmark("20") }, "20"},
		{"older bookmark", func() { s.Bookmark("15") }, "20"},
		{"empty bookmark", func() { s.Bookmark("") }, "20"},
		{"replace", func() { require.NoError(t, s.Replace(nil, "5")) }, "5"},
		{"replace without a version", func() { require.NoError(t, s.Replace(nil, "")) }, "5"},
	} {
		step.do()
		require.Equal(t, step.want, s.LastStoreSyncResourceVersion(), step.name)
	}
}

// IndexKeys are those that the objects were stored under, also where the objects
// would say others.
func TestIndexKeysOfOthersKeys(t *testing.T) {
	typed := indexer.New(indexer.Options[*thing]{})
	ix := IndexerOf(typed)
	require.NoError(t, ix.AddIndexers(colorAndNamespace))
	typed.Keyed().Set("other", newThing("x", "a", "", "red"), "")
	require.NoError(t, ix.Add(newThing("x", "b", "", "red")))
	keys, err := ix.IndexKeys("color", "red")
	require.NoError(t, err)
	require.Equal(t, []string{"other", "x/b"}, keys)
}
