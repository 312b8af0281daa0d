package cache

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
)

// A TypedIndexer answers what its Indexer does, in slices of the type.
func TestTypedIndexer(t *testing.T) {
	color := func(t *thing) ([]string, error) { return []string{t.color}, nil }
	for name, ix := range map[string]Indexer{
		"ours":    NewIndexer(MetaNamespaceKeyFunc, nil),
		"typed":   IndexerOf(indexer.New(indexer.Options[*thing]{})),
		"foreign": foreign{NewIndexer(MetaNamespaceKeyFunc, nil)},
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

// An object of another type costs itself its entry, and who asks for it hears of
// it; nothing panics.
func TestTypedIndexerOfTheWrongType(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, TypedIndexersToIndexers(TypedIndexers[*thing]{
		"color": func(t *thing) ([]string, error) { return []string{t.color}, nil },
	}))
	require.NoError(t, ix.AddIndexers(Indexers{NamespaceIndex: MetaNamespaceIndexFunc}))
	require.NoError(t, ix.Add(newKind("x", "a", "")))
	require.NoError(t, ix.Add(newThing("x", "b", "", "red")))
	typed := typedIndexer[*thing]{ix}
	red, err := typed.ByTypedIndex("color", "red")
	require.NoError(t, err)
	require.Len(t, red, 1)
	_, err = typed.ByTypedIndex(NamespaceIndex, "x")
	require.EqualError(t, err, "what index namespace has is a *v1.PartialObjectMetadata and not a *cache.thing")
	_, err = TypedIndexerFuncToIndexerFunc(func(string) ([]string, error) { return nil, nil })(5)
	require.EqualError(t, err, "the object is a int and not a string")
}
