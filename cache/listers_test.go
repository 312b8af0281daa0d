package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/indexer"
)

// kind is a runtime.Object.
type kind = metav1.PartialObjectMetadata

func newKind(namespace, name, app string) *kind {
	return &kind{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}}}
}

// foreign is an Indexer that is none of ours, for all that this package can see.
type foreign struct{ Indexer }

func parse(t *testing.T, selector string) labels.Selector {
	t.Helper()
	s, err := labels.Parse(selector)
	require.NoError(t, err)
	return s
}

// Listers find the same in every store: with a namespace index or without, by a
// label index or without, in a typed one and in one that somebody else wrote.
func TestListers(t *testing.T) {
	a, b, c, d := newKind("x", "a", "web"), newKind("x", "b", "db"), newKind("y", "a", "web"), newKind("", "d", "web")
	byNamespace := Indexers{NamespaceIndex: MetaNamespaceIndexFunc}
	labeled := indexer.New(indexer.Options[*kind]{})
	_, err := labeled.AddLabelIndex("app")
	require.NoError(t, err)
	both := IndexerOf(indexer.New(indexer.Options[*kind]{}))
	require.NoError(t, both.AddIndexers(byNamespace))
	for name, ix := range map[string]Indexer{
		"plain":              NewIndexer(MetaNamespaceKeyFunc, nil),
		"by namespace":       NewIndexer(MetaNamespaceKeyFunc, byNamespace),
		"by label":           IndexerOf(labeled),
		"keys of its own":    NewIndexer(func(obj any) (string, error) { return obj.(*kind).Namespace + "-" + obj.(*kind).Name, nil }, nil),
		"by both":            both,
		"foreign":            foreign{NewIndexer(MetaNamespaceKeyFunc, byNamespace)},
		"foreign, not index": foreign{NewIndexer(MetaNamespaceKeyFunc, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, ix.Replace([]any{a, b, c, d}, "1"))
			l := NewGenericLister(ix, schema.GroupResource{Resource: "kinds"})
			for _, c := range []struct {
				namespace string
				selector  labels.Selector
				want      []runtime.Object
			}{
				{"", labels.Everything(), []runtime.Object{a, b, c, d}},
				{"", nil, []runtime.Object{a, b, c, d}},
				{"", labels.Nothing(), nil},
				{"", parse(t, "app=web"), []runtime.Object{a, c, d}},
				{"", parse(t, "app notin (web)"), []runtime.Object{b}},
				{"x", labels.Everything(), []runtime.Object{a, b}},
				{"x", nil, []runtime.Object{a, b}},
				{"x", labels.Nothing(), nil},
				{"x", parse(t, "app=web"), []runtime.Object{a}},
				{"x", parse(t, "app in (web,db)"), []runtime.Object{a, b}},
				{"z", labels.Everything(), nil},
			} {
				got, err := l.ByNamespace(c.namespace).List(c.selector)
				require.NoError(t, err)
				require.ElementsMatch(t, c.want, got, "%s %s", c.namespace, c.selector)
				if c.namespace == "" {
					got, err = l.List(c.selector)
					require.NoError(t, err)
					require.ElementsMatch(t, c.want, got, "%s", c.selector)
				}
				n := 0
				require.NoError(t, ListAllByNamespace(ix, c.namespace, c.selector, func(any) { n++ }))
				require.Len(t, c.want, n)
			}
			n := 0
			require.NoError(t, ListAll(ix, parse(t, "app=web"), func(any) { n++ }))
			require.Equal(t, 3, n)
		})
	}
}

// Get finds by name what has no namespace, and in a namespace what is there. What
// is not there is a NotFound that names the resource.
func TestGenericListerGets(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, nil)
	a, d := newKind("x", "a", ""), newKind("", "d", "")
	require.NoError(t, ix.Replace([]any{a, d}, "1"))
	l := NewGenericLister(ix, schema.GroupResource{Group: "g", Resource: "kinds"})
	for key, c := range map[string]struct {
		get  func(string) (runtime.Object, error)
		name string
		want runtime.Object
	}{
		"by key":                {l.Get, "x/a", a},
		"in its namespace":      {l.ByNamespace("x").Get, "a", a},
		"in no namespace":       {l.Get, "d", d},
		"in the namespace \"\"": {l.ByNamespace("").Get, "d", d},
		"in another":            {l.ByNamespace("y").Get, "a", nil},
		"not at all":            {l.Get, "z", nil},
	} {
		got, err := c.get(c.name)
		if c.want == nil {
			require.True(t, apierrors.IsNotFound(err), key)
			require.EqualError(t, err, `kinds.g "`+c.name+`" not found`)
			continue
		}
		require.NoError(t, err, key)
		require.Same(t, c.want, got, key)
	}
}

// What client-go's listers panic at is an error: no store, no function, an object
// that is none.
func TestListerMistakes(t *testing.T) {
	words := NewIndexer(func(obj any) (string, error) { return obj.(string), nil }, nil)
	require.NoError(t, words.Add("a"))
	l, none := NewGenericLister(words, schema.GroupResource{Resource: "words"}), NewGenericLister(nil, schema.GroupResource{Resource: "none"})
	says := func(want string, err error) {
		t.Helper()
		require.ErrorContains(t, err, want)
	}
	says("the store is nil", ListAll(nil, nil, func(any) {}))
	says("the store is nil", ListAllByNamespace(nil, "x", nil, func(any) {}))
	says("no function to append", ListAll(words, nil, nil))
	_, err := l.List(nil)
	says("listing words: a string in the store of words is no runtime.Object", err)
	_, err = l.Get("a")
	says("a string in the store of words is no runtime.Object", err)
	_, err = none.List(nil)
	says("listing none: listing: the store is nil", err)
	_, err = none.Get("a")
	says("the store is nil", err)
	says("listing namespace x: object has no meta", ListAllByNamespace(words, "x", nil, func(any) {}))
	says("listing namespace x: object has no meta", ListAllByNamespace(foreign{words}, "x", nil, func(any) {}))
	says("listing by labels: object has no meta", ListAll(foreign{words}, parse(t, "a=b"), func(any) {}))
	require.NoError(t, ListAll(words, labels.Nothing(), func(any) { t.Error("listed") }), "no object is asked")
	for _, selector := range []string{"a=b", "!a"} {
		says("listing by labels: object has no meta", ListAll(words, parse(t, selector), func(any) {}))
	}
}
