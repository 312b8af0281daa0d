package cache

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// If an index function fails or panics, the object is not in that index. The
// write succeeds.
func TestIndexFuncError(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, Indexers{
		"fails":  func(obj any) ([]string, error) { return []string{"all"}, failFor(obj, "bad") },
		"panics": func(obj any) ([]string, error) { return []string{"all"}, panicFor(obj, "bad") },
		"color":  byColor,
	})
	good, bad := newThing("", "good", "", "red"), newThing("", "bad", "", "red")
	require.NoError(t, ix.Add(bad))
	require.NoError(t, ix.Add(good))
	for name, want := range map[string][]any{"fails": {good}, "panics": {good}, "color": {bad, good}} {
		value := map[string]string{"color": "red"}[name]
		if value == "" {
			value = "all"
		}
		got, err := ix.ByIndex(name, value)
		require.NoError(t, err)
		require.ElementsMatch(t, want, got, name)
	}
	_, err := ix.Index("fails", bad)
	require.ErrorIs(t, err, errBad, "Index returns the error of the function")
	require.Panics(t, func() { _, _ = ix.Index("panics", bad) }, "Index passes on the panic of the function")
}

var errBad = errors.New("bad")

func failFor(obj any, name string) error {
	if obj.(*thing).Name == name {
		return errBad
	}
	return nil
}

func panicFor(obj any, name string) error {
	if failFor(obj, name) != nil {
		panic(errBad)
	}
	return nil
}

// An object with several of the queried values is returned once.
func TestIndexReturnsEachObjectOnce(t *testing.T) {
	words := func(obj any) ([]string, error) { return obj.([]string)[1:], nil }
	ix := NewIndexer(func(obj any) (string, error) { return obj.([]string)[0], nil }, Indexers{"word": words})
	for _, obj := range [][]string{{"1", "a", "b"}, {"2", "b", "c"}, {"3", "c"}, {"4"}} {
		require.NoError(t, ix.Add(obj))
	}
	for _, c := range []struct{ ask, want []string }{
		{[]string{"", "a"}, []string{"1"}},
		{[]string{"", "a", "b"}, []string{"1", "2"}},
		{[]string{"", "b", "b", "c", "a"}, []string{"1", "2", "3"}},
		{[]string{""}, nil},
		{[]string{"", "z"}, nil},
	} {
		found, err := ix.Index("word", c.ask)
		require.NoError(t, err)
		var keys []string
		for _, obj := range found {
			keys = append(keys, obj.([]string)[0])
		}
		require.ElementsMatch(t, c.want, keys)
	}
}

// GetIndexers returns a copy, and NewIndexer copies its argument.
func TestGetIndexersIsACopy(t *testing.T) {
	given := Indexers{"color": byColor}
	ix := NewIndexer(MetaNamespaceKeyFunc, given)
	require.NoError(t, ix.AddIndexers(Indexers{"ns": MetaNamespaceIndexFunc}))
	require.Len(t, given, 1)
	got := ix.GetIndexers()
	require.Len(t, got, 2)
	values, err := got["color"](newThing("", "", "", "red"))
	require.NoError(t, err)
	require.Equal(t, []string{"red"}, values)
	_, err = got["color"](5)
	require.EqualError(t, err, "a int has no color")
	delete(got, "color")
	require.Len(t, ix.GetIndexers(), 2)
	require.NoError(t, NewIndexer(MetaNamespaceKeyFunc, nil).AddIndexers(got), "a store without indexers accepts them")

	typed := indexer.New(indexer.Options[*thing]{})
	_, err = typed.AddIndex("color", func(t *thing) []string { return []string{t.color} })
	require.NoError(t, err)
	adapter := IndexerOf(typed)
	values, err = adapter.GetIndexers()["color"](newThing("", "", "", "red"))
	require.NoError(t, err)
	require.Equal(t, []string{"red"}, values, "an index of the typed indexer")
}

// NewIndexer leaves out an index without a function and adds the others.
func TestNewIndexerOmitsIndexWithoutFunction(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, Indexers{"color": byColor, "none": nil})
	require.NoError(t, ix.Add(newThing("", "a", "", "red")))
	_, err := ix.ByIndex("none", "")
	require.EqualError(t, err, "Index with name none does not exist")
	require.Equal(t, []string{"red"}, ix.ListIndexFuncValues("color"))
}

func TestIndexFuncToKeyFuncAdapter(t *testing.T) {
	for name, c := range map[string]struct {
		values []string
		err    error
		key    string
		fails  string
	}{
		"one value": {values: []string{"a"}, key: "a"},
		"none":      {fails: "the index function returned 0 values for a int, want 1"},
		"two":       {values: []string{"a", "b"}, fails: "returned 2 values"},
		"an error":  {values: []string{"a"}, err: errBad, fails: "bad"},
	} {
		key, err := IndexFuncToKeyFuncAdapter(func(any) ([]string, error) { return c.values, c.err })(5)
		require.Equal(t, c.key, key, name)
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails, name)
		} else {
			require.NoError(t, err, name)
		}
	}
	_, err := IndexFuncToKeyFuncAdapter(nil)(5)
	require.ErrorIs(t, err, errNoIndexFunc)
}

// A TypedIndexer returns the same objects as its Indexer, in slices of the
// type.
func TestTypedIndexer(t *testing.T) {
	color := func(t *thing) ([]string, error) { return []string{t.color}, nil }
	for name, ix := range map[string]Indexer{
		"ours":    NewIndexer(MetaNamespaceKeyFunc, nil),
		"typed":   IndexerOf(indexer.New(indexer.Options[*thing]{})),
		"foreign": foreignIndexer{NewIndexer(MetaNamespaceKeyFunc, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			typed := typedIndexer[*thing]{ix}
			a, b, c := newThing("", "a", "", "red"), newThing("", "b", "", "red"), newThing("", "c", "", "blue")
			require.NoError(t, typed.Replace([]any{a, b, c}, ""))
			require.NoError(t, typed.AddTypedIndexers(TypedIndexers[*thing]{"color": color}))
			require.Error(t, typed.AddTypedIndexers(TypedIndexers[*thing]{"color": color}))
			require.Error(t, typed.AddTypedIndexers(TypedIndexers[*thing]{"none": nil}))
			red, err := typed.ByTypedIndex("color", "red")
			require.NoError(t, err)
			require.ElementsMatch(t, []*thing{a, b}, red)
			blue, err := typed.TypedIndex("color", newThing("", "", "", "blue"))
			require.NoError(t, err)
			require.Equal(t, []*thing{c}, blue)
			none, err := typed.ByTypedIndex("color", "green")
			require.NoError(t, err)
			require.Equal(t, []*thing{}, none)
			_, err = typed.ByTypedIndex("shape", "")
			require.EqualError(t, err, "Index with name shape does not exist")
			_, err = typed.TypedIndex("shape", a)
			require.EqualError(t, err, "Index with name shape does not exist")
		})
	}
}

// An object of another type is not in a typed index. A query that finds it
// returns an error; nothing panics.
func TestTypedIndexerReportsOtherTypes(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, TypedIndexersToIndexers(TypedIndexers[*thing]{
		"color": func(t *thing) ([]string, error) { return []string{t.color}, nil },
	}))
	require.NoError(t, ix.AddIndexers(Indexers{NamespaceIndex: MetaNamespaceIndexFunc}))
	require.NoError(t, ix.Add(newPartialObject("x", "a", "")))
	require.NoError(t, ix.Add(newThing("x", "b", "", "red")))
	typed := typedIndexer[*thing]{ix}
	red, err := typed.ByTypedIndex("color", "red")
	require.NoError(t, err)
	require.Len(t, red, 1)
	_, err = typed.ByTypedIndex(NamespaceIndex, "x")
	require.EqualError(t, err, "an object in index namespace is a *v1.PartialObjectMetadata, want *cache.thing")
	_, err = TypedIndexerFuncToIndexerFunc(func(string) ([]string, error) { return nil, nil })(5)
	require.EqualError(t, err, "the object is a int, want string")
}
