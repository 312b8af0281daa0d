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

// partialObject is a runtime.Object.
type partialObject = metav1.PartialObjectMetadata

func newPartialObject(namespace, name, app string) *partialObject {
	return &partialObject{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}}}
}

// foreignIndexer is an Indexer of another package.
type foreignIndexer struct{ Indexer }

func parse(t *testing.T, selector string) labels.Selector {
	t.Helper()
	s, err := labels.Parse(selector)
	require.NoError(t, err)
	return s
}

// Listers return the same objects for every store: with and without a
// namespace index or a label index, typed, and of another package.
func TestListersOfAllStores(t *testing.T) {
	a, b, c, d := newPartialObject("x", "a", "web"), newPartialObject("x", "b", "db"), newPartialObject("y", "a", "web"), newPartialObject("", "d", "web")
	byNamespace := Indexers{NamespaceIndex: MetaNamespaceIndexFunc}
	labeled := indexer.New(indexer.Options[*partialObject]{})
	_, err := labeled.AddLabelIndex("app")
	require.NoError(t, err)
	both := IndexerOf(indexer.New(indexer.Options[*partialObject]{}))
	require.NoError(t, both.AddIndexers(byNamespace))
	for name, ix := range map[string]Indexer{
		"plain":        NewIndexer(MetaNamespaceKeyFunc, nil),
		"by namespace": NewIndexer(MetaNamespaceKeyFunc, byNamespace),
		"by label":     IndexerOf(labeled),
		"custom keys": NewIndexer(func(obj any) (string, error) {
			return obj.(*partialObject).Namespace + "-" + obj.(*partialObject).Name, nil
		}, nil),
		"by both":              both,
		"foreign":              foreignIndexer{NewIndexer(MetaNamespaceKeyFunc, byNamespace)},
		"foreign, not indexed": foreignIndexer{NewIndexer(MetaNamespaceKeyFunc, nil)},
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

// Get returns a cluster-scoped object by name and a namespaced object in its
// namespace. For other names it returns NotFound with the resource.
func TestGenericListerGets(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, nil)
	a, d := newPartialObject("x", "a", ""), newPartialObject("", "d", "")
	require.NoError(t, ix.Replace([]any{a, d}, "1"))
	l := NewGenericLister(ix, schema.GroupResource{Group: "g", Resource: "kinds"})
	for key, c := range map[string]struct {
		get  func(string) (runtime.Object, error)
		name string
		want runtime.Object
	}{
		"by key":          {l.Get, "x/a", a},
		"own namespace":   {l.ByNamespace("x").Get, "a", a},
		"cluster-scoped":  {l.Get, "d", d},
		"namespace \"\"":  {l.ByNamespace("").Get, "d", d},
		"other namespace": {l.ByNamespace("y").Get, "a", nil},
		"missing object":  {l.Get, "z", nil},
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

// Arguments at which client-go's listers panic are errors here: no store, no
// function, or an object of a wrong type.
func TestListerErrors(t *testing.T) {
	words := NewIndexer(func(obj any) (string, error) { return obj.(string), nil }, nil)
	require.NoError(t, words.Add("a"))
	l, none := NewGenericLister(words, schema.GroupResource{Resource: "words"}), NewGenericLister(nil, schema.GroupResource{Resource: "none"})
	wantError := func(want string, err error) {
		t.Helper()
		require.ErrorContains(t, err, want)
	}
	wantError("the store is nil", ListAll(nil, nil, func(any) {}))
	wantError("the store is nil", ListAllByNamespace(nil, "x", nil, func(any) {}))
	wantError("the append function is nil", ListAll(words, nil, nil))
	_, err := l.List(nil)
	wantError("listing words: a string in the store of words is no runtime.Object", err)
	_, err = l.Get("a")
	wantError("a string in the store of words is no runtime.Object", err)
	_, err = none.List(nil)
	wantError("listing none: listing: the store is nil", err)
	_, err = none.Get("a")
	wantError("the store is nil", err)
	wantError("listing namespace x: object has no meta", ListAllByNamespace(words, "x", nil, func(any) {}))
	wantError("listing namespace x: object has no meta", ListAllByNamespace(foreignIndexer{words}, "x", nil, func(any) {}))
	wantError("listing by labels: object has no meta", ListAll(foreignIndexer{words}, parse(t, "a=b"), func(any) {}))
	require.NoError(t, ListAll(words, labels.Nothing(), func(any) { t.Error("listed") }), "a selector that matches nothing")
	for _, selector := range []string{"a=b", "!a"} {
		wantError("listing by labels: object has no meta", ListAll(words, parse(t, selector), func(any) {}))
	}
}
