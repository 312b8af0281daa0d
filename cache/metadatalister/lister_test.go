package metadatalister_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/cache/metadatalister"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// The lister returns the stored objects themselves, by selector, namespace and name; a name
// without an object is a NotFound error of the resource. So does the shim. An object of
// another type is an error.
func TestListerReadsTheIndexer(t *testing.T) {
	of := func(namespace, name string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"is": name}}}
	}
	a, b, c := of("shop", "a"), of("other", "b"), of("", "c")
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, m := range []*metav1.PartialObjectMetadata{a, b, c} {
		require.NoError(t, store.Add(m))
	}
	l := metadatalister.New(store, widgets)

	all, err := l.List(nil)
	require.NoError(t, err)
	require.ElementsMatch(t, []*metav1.PartialObjectMetadata{a, b, c}, all)
	inShop, err := l.Namespace("shop").List(labels.SelectorFromSet(labels.Set{"is": "a"}))
	require.NoError(t, err)
	require.Len(t, inShop, 1)
	require.Same(t, a, inShop[0])
	one, err := l.Get("c")
	require.NoError(t, err)
	require.Same(t, c, one)
	_, err = l.Namespace("shop").Get("b")
	require.True(t, apierrors.IsNotFound(err))
	require.ErrorContains(t, err, "widgets.example.com")

	shim := metadatalister.NewRuntimeObjectShim(l)
	objects, err := shim.List(labels.Everything())
	require.NoError(t, err)
	require.Len(t, objects, 3)
	object, err := shim.ByNamespace("other").Get("b")
	require.NoError(t, err)
	require.Same(t, b, object)
	object, err = shim.Get("nothing")
	require.True(t, apierrors.IsNotFound(err))
	require.Nil(t, object)

	require.NoError(t, store.Add(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "shop", "name": "u"}}}))
	_, err = l.Namespace("shop").List(labels.Everything())
	require.ErrorContains(t, err, "*unstructured.Unstructured, not a *v1.PartialObjectMetadata")
	_, err = shim.ByNamespace("shop").List(labels.Everything())
	require.Error(t, err)
}
