package cache

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// An index function that fails, or panics, costs that object its entry in that
// index, and neither the write nor the process.
func TestIndexFuncThatFails(t *testing.T) {
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
	require.ErrorIs(t, err, errBad, "who asks for an object hears what the function says of it")
	require.Panics(t, func() { _, _ = ix.Index("panics", bad) }, "and so does who made it panic")
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

// An object that is under several values is found once.
func TestIndexFindsEachOnce(t *testing.T) {
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

// GetIndexers is the caller's own, and so is the map that NewIndexer was given.
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
	require.NoError(t, NewIndexer(MetaNamespaceKeyFunc, nil).AddIndexers(got), "which also one without any takes")

	typed := indexer.New(indexer.Options[*thing]{})
	_, err = typed.AddIndex("color", func(t *thing) []string { return []string{t.color} })
	require.NoError(t, err)
	over := IndexerOf(typed)
	values, err = over.GetIndexers()["color"](newThing("", "", "", "red"))
	require.NoError(t, err)
	require.Equal(t, []string{"red"}, values, "an index that was added to the typed one")
}

// An index without a function is left out; the others are there.
func TestNewIndexerWithoutAFunction(t *testing.T) {
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
		"none":      {fails: "the key of a int is to be its only index value, and it has 0"},
		"two":       {values: []string{"a", "b"}, fails: "and it has 2"},
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
