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

// thing is an object that has only metadata and a color.
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

// A Store and an Indexer return what was written. A result without objects is
// an empty slice, not nil.
func TestIndexer(t *testing.T) {
	typed := indexer.New(indexer.Options[*thing]{})
	adapter := IndexerOf(typed)
	require.NoError(t, adapter.AddIndexers(colorAndNamespace))
	for name, ix := range map[string]Indexer{
		"NewIndexer": NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace),
		"IndexerOf":  adapter,
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
	require.Equal(t, "12", typed.Version(), "the version of the typed indexer")
}

// An invalid write returns an error and changes nothing.
func TestIndexerErrors(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace)
	adapter := IndexerOf(indexer.New(indexer.Options[*thing]{}))
	var nilThing *thing
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"string":                 {ix.Add("a"), "couldn't create key for object of type string: object has no meta"},
		"nil":                    {ix.Add(nil), "it is nil"},
		"nil pointer":            {ix.Update(nilThing), "it is a nil *cache.thing"},
		"deletion of nil":        {ix.Delete(nil), "couldn't create key"},
		"item of a list":         {ix.Replace([]any{newThing("", "a", "", ""), 5}, "1"), "item 1: couldn't create key for object of type int"},
		"no key function":        {NewStore(nil).Add(newThing("", "a", "", "")), "the key function is nil"},
		"wrong type":             {adapter.Add(metav1.ObjectMeta{Name: "a"}), "the object is a v1.ObjectMeta, want *cache.thing"},
		"ExplicitKey":            {adapter.Add(ExplicitKey("a")), "is a cache.ExplicitKey, want *cache.thing"},
		"wrong type in a list":   {adapter.Replace([]any{"a"}, "1"), "the object is a string, want *cache.thing"},
		"nil in a typed indexer": {adapter.Add(nil), "the object is a <nil>, want *cache.thing"},
		"existing index":         {ix.AddIndexers(Indexers{"new": byColor, "color": byColor}), "an index of that name exists"},
		"no index function":      {ix.AddIndexers(Indexers{"new": nil}), "an index needs a function"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, c.err, c.want) })
	}
	require.Empty(t, ix.List())
	require.Empty(t, adapter.List())
	require.Len(t, ix.GetIndexers(), 2)
	require.NoError(t, NewStore(MetaNamespaceKeyFunc, nil).Add(newThing("", "a", "", "")), "a nil option")
	require.Empty(t, NewThreadSafeStore(nil, nil, nil).List(), "a nil option")

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
	require.EqualError(t, err, "a int has no color", "the error of the index function")
	_, err = adapter.Index("color", 5)
	require.Error(t, err)
}

// With a key function for them, strings are objects. The empty key is valid.
func TestStoreOfStrings(t *testing.T) {
	s := NewStore(func(obj any) (string, error) {
		if text, ok := obj.(string); ok {
			return text, nil
		}
		return "", errors.New("not a string")
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

// The version of a store is the newest version that was written. Only Replace,
// which ends a relist, sets an older one.
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
		{"update to a newer version, compared as a number", write(s.Update, "10"), "10"},
		{"update to an older version", write(s.Update, "7"), "10"},
		{"update without a version", write(s.Update, ""), "10"},
		{"delete", write(s.Delete, "11"), "11"},
		{"delete of an older version", write(s.Delete, "8"), "11"},
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

// IndexKeys returns the keys under which the objects were stored, even if the
// key function returns others.
func TestIndexKeysWithCustomKeys(t *testing.T) {
	typed := indexer.New(indexer.Options[*thing]{})
	ix := IndexerOf(typed)
	require.NoError(t, ix.AddIndexers(colorAndNamespace))
	typed.KeyedWriter().Set("other", newThing("x", "a", "", "red"), "")
	require.NoError(t, ix.Add(newThing("x", "b", "", "red")))
	keys, err := ix.IndexKeys("color", "red")
	require.NoError(t, err)
	require.Equal(t, []string{"other", "x/b"}, keys)
}

// A Transaction applies the valid writes in order, as one change, and reports
// the others.
func TestTransaction(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace)
	store := ix.(TransactionStore)
	require.Nil(t, store.Transaction())
	require.NoError(t, ix.Add(newThing("", "gone", "1", "red")))
	a, a2 := newThing("", "a", "5", "red"), newThing("", "a", "6", "blue")
	failed := store.Transaction(
		Transaction{Object: a, Type: TransactionTypeAdd},
		Transaction{Object: "not a thing", Type: TransactionTypeUpdate},
		Transaction{Object: a2, Type: TransactionTypeUpdate},
		Transaction{Object: newThing("", "gone", "3", ""), Type: TransactionTypeDelete},
		Transaction{Object: newThing("", "b", "4", ""), Type: "Upsert"},
	)
	require.Equal(t, []int{0, 2, 3}, failed.SuccessfulIndices)
	require.Equal(t, 5, failed.TotalTransactions)
	require.Len(t, failed.Errors, 2)
	require.ErrorContains(t, failed, "2 of 5 transactions failed")
	require.ErrorContains(t, failed, `unknown transaction type "Upsert"`)
	var keyError KeyError
	require.ErrorAs(t, failed, &keyError)
	require.Equal(t, "not a thing", keyError.Obj)
	require.Equal(t, []any{a2}, ix.List())
	require.Equal(t, "6", ix.LastStoreSyncResourceVersion(), "the newest version of the applied writes")

	require.NotNil(t, store.Transaction(Transaction{Object: 1, Type: TransactionTypeAdd}))
	require.Equal(t, []any{a2}, ix.List())
}

// Readers see all writes of a Transaction or none.
func TestTransactionIsOneChange(t *testing.T) {
	s := NewStore(func(obj any) (string, error) { return fmt.Sprint(obj.([2]int)[0]), nil })
	const objects, rounds = 5, 2000
	write := func(round int) {
		var txns []Transaction
		for i := range objects {
			txns = append(txns, Transaction{Object: [2]int{i, round}, Type: TransactionTypeUpdate})
		}
		_ = s.(TransactionStore).Transaction(txns...)
	}
	write(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for round := range rounds {
			write(round)
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		list := s.List()
		require.Len(t, list, objects)
		for _, obj := range list {
			require.Equal(t, list[0].([2]int)[1], obj.([2]int)[1])
		}
	}
}

// With a transformer, the transformed object is stored under the key and
// version of the original. An object for which the transformer fails is not
// stored.
func TestWithTransformer(t *testing.T) {
	errTransform := errors.New("invalid")
	transform := func(obj any) (any, error) {
		item := obj.(*thing)
		if item.color == "invalid" {
			return nil, errTransform
		}
		return newThing(item.Namespace, "transformed-"+item.Name, "", "transformed"), nil
	}
	ix := NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace, WithTransformer(transform))
	require.NoError(t, ix.Add(newThing("x", "a", "1", "")))
	require.NoError(t, ix.Update(newThing("x", "b", "2", "")))
	require.Equal(t, "2", ix.LastStoreSyncResourceVersion())
	require.Nil(t, ix.(TransactionStore).Transaction(
		Transaction{Object: newThing("x", "c", "3", ""), Type: TransactionTypeAdd},
		Transaction{Object: newThing("x", "b", "4", "invalid"), Type: TransactionTypeDelete},
	))
	keys, err := ix.IndexKeys("color", "transformed")
	require.NoError(t, err)
	require.Equal(t, []string{"x/a", "x/c"}, keys, "the keys of the original objects")
	for _, err := range []error{
		ix.Add(newThing("x", "d", "8", "invalid")),
		ix.Update(newThing("x", "a", "8", "invalid")),
		ix.Replace([]any{newThing("x", "e", "8", ""), newThing("x", "d", "8", "invalid")}, "9"),
		ix.(TransactionStore).Transaction(Transaction{Object: newThing("x", "d", "8", "invalid"), Type: TransactionTypeAdd}),
	} {
		require.ErrorIs(t, err, errTransform)
	}
	require.ElementsMatch(t, []string{"x/a", "x/c"}, ix.ListKeys())
	require.Equal(t, "4", ix.LastStoreSyncResourceVersion())
	list := []any{newThing("x", "f", "10", "plain")}
	require.NoError(t, ix.Replace(list, "10"))
	require.Equal(t, "plain", list[0].(*thing).color, "the argument is not changed")
	require.Equal(t, "transformed", ix.List()[0].(*thing).color)
}
