package cache

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/indexer"
)

// thing is an object with metadata and no more.
type thing struct {
	metav1.ObjectMeta
	color string
}

func newThing(namespace, name, version, color string) *thing {
	return &thing{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ResourceVersion: version}, color: color}
}

func byColor(obj any) ([]string, error) {
	t, ok := obj.(*thing)
	if !ok {
		return nil, fmt.Errorf("a %T has no color", obj)
	}
	return []string{t.color}, nil
}

var colorAndNamespace = Indexers{"color": byColor, NamespaceIndex: MetaNamespaceIndexFunc}

// What a Store and an Indexer are told is what they have, and what they return
// is there to be read: also of no objects, a slice.
func TestIndexer(t *testing.T) {
	typed := indexer.New(indexer.Options[*thing]{})
	over := IndexerOf(typed)
	require.NoError(t, over.AddIndexers(colorAndNamespace))
	for name, ix := range map[string]Indexer{
		"NewIndexer": NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace),
		"IndexerOf":  over,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, []any{}, ix.List())
			require.Equal(t, []string{}, ix.ListKeys())
			require.Equal(t, []string{}, ix.ListIndexFuncValues("color"))
			a, b, c := newThing("x", "a", "1", "red"), newThing("x", "b", "2", "blue"), newThing("", "c", "3", "red")
			for _, obj := range []*thing{a, b, c} {
				require.NoError(t, ix.Add(obj))
			}
			require.ElementsMatch(t, []any{a, b, c}, ix.List())
			require.ElementsMatch(t, []string{"x/a", "x/b", "c"}, ix.ListKeys())
			require.Equal(t, "3", ix.LastStoreSyncResourceVersion())
			for obj, want := range map[any]any{a: a, newThing("x", "b", "", ""): b, ExplicitKey("c"): c} {
				got, exists, err := ix.Get(obj)
				require.NoError(t, err)
				require.True(t, exists)
				require.Same(t, want, got)
			}
			got, exists, err := ix.GetByKey("x/c")
			require.NoError(t, err)
			require.False(t, exists)
			require.Nil(t, got)

			red, err := ix.ByIndex("color", "red")
			require.NoError(t, err)
			require.ElementsMatch(t, []any{a, c}, red)
			keys, err := ix.IndexKeys("color", "red")
			require.NoError(t, err)
			require.Equal(t, []string{"c", "x/a"}, keys)
			inX, err := ix.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: "x"})
			require.NoError(t, err)
			require.ElementsMatch(t, []any{a, b}, inX)
			none, err := ix.ByIndex("color", "green")
			require.NoError(t, err)
			require.Equal(t, []any{}, none)
			require.ElementsMatch(t, []string{"red", "blue"}, ix.ListIndexFuncValues("color"))

			require.NoError(t, ix.Update(newThing("x", "a", "4", "green")))
			require.NoError(t, ix.Delete(newThing("", "c", "5", "")))
			require.NoError(t, ix.Delete(newThing("", "never", "", "")))
			require.ElementsMatch(t, []string{"green", "blue"}, ix.ListIndexFuncValues("color"))
			require.Equal(t, "5", ix.LastStoreSyncResourceVersion())

			require.NoError(t, ix.Replace([]any{c, b}, "9"))
			require.ElementsMatch(t, []any{b, c}, ix.List())
			require.Equal(t, "9", ix.LastStoreSyncResourceVersion())
			ix.Bookmark("12")
			require.Equal(t, "12", ix.LastStoreSyncResourceVersion())
			require.NoError(t, ix.Resync())
		})
	}
	require.Equal(t, "12", typed.Version(), "both are the same store")
}

// A mistake is an error that says so, and changes nothing.
func TestIndexerMistakes(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace)
	over := IndexerOf(indexer.New(indexer.Options[*thing]{}))
	var nilThing *thing
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"a string":                  {ix.Add("a"), "couldn't create key for object of type string: object has no meta"},
		"nil":                       {ix.Add(nil), "it is nil"},
		"a nil pointer":             {ix.Update(nilThing), "it is a nil *cache.thing"},
		"a delete of nil":           {ix.Delete(nil), "couldn't create key"},
		"one of a list":             {ix.Replace([]any{newThing("", "a", "", ""), 5}, "1"), "item 1: couldn't create key for object of type int"},
		"no key function":           {NewStore(nil).Add(newThing("", "a", "", "")), "the key function is nil"},
		"a wrong type":              {over.Add(metav1.ObjectMeta{Name: "a"}), "the object is a v1.ObjectMeta and not a *cache.thing"},
		"a key in place of a thing": {over.Add(ExplicitKey("a")), "is a cache.ExplicitKey and not a *cache.thing"},
		"a wrong type in a list":    {over.Replace([]any{"a"}, "1"), "the object is a string and not a *cache.thing"},
		"nil in place of a thing":   {over.Add(nil), "the object is a <nil> and not a *cache.thing"},
		"a name that is taken":      {ix.AddIndexers(Indexers{"new": byColor, "color": byColor}), "an index of that name exists"},
		"no index function":         {ix.AddIndexers(Indexers{"new": nil}), "an index needs a function"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, c.err, c.says) })
	}
	require.Empty(t, ix.List())
	require.Empty(t, over.List())
	require.Len(t, ix.GetIndexers(), 2)
	require.NoError(t, NewStore(MetaNamespaceKeyFunc, nil).Add(newThing("", "a", "", "")), "an option that is nil")
	require.Empty(t, NewThreadSafeStore(nil, nil, nil).List(), "an option that is nil")

	var keyError KeyError
	require.ErrorAs(t, ix.Add(5), &keyError)
	require.Equal(t, 5, keyError.Obj)

	for _, ask := range []func() error{
		func() error { _, err := ix.ByIndex("shape", ""); return err },
		func() error { _, err := ix.IndexKeys("shape", ""); return err },
		func() error { _, err := ix.Index("shape", nilThing); return err },
	} {
		require.EqualError(t, ask(), "Index with name shape does not exist")
	}
	_, err := ix.Index("color", 5)
	require.EqualError(t, err, "a int has no color", "the error of the function itself")
	_, err = over.Index("color", 5)
	require.Error(t, err)
}

// Strings and ints are objects to who has a key function for them, and so is what
// has an empty key.
func TestStoreOfStrings(t *testing.T) {
	s := NewStore(func(obj any) (string, error) {
		if word, ok := obj.(string); ok {
			return word, nil
		}
		return "", errors.New("no word")
	})
	require.NoError(t, s.Replace([]any{"a", "", "b", "a"}, ""))
	require.NoError(t, s.Add("c"))
	require.NoError(t, s.Delete("b"))
	require.Error(t, s.Add(5))
	keys := s.ListKeys()
	slices.Sort(keys)
	require.Equal(t, []string{"", "a", "c"}, keys)
	require.Nil(t, s.(TransactionStore).Transaction(Transaction{"", TransactionTypeDelete}, Transaction{"d", TransactionTypeAdd}))
	require.ElementsMatch(t, []any{"a", "c", "d"}, s.List())
	require.Empty(t, s.LastStoreSyncResourceVersion())
}
