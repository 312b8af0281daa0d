package dynamiclister_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/cache/dynamiclister"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func widget(namespace, name, color string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{"is": color})
	return u
}

// The lister returns the stored objects themselves, by selector, namespace and name; a name
// without an object is a NotFound error of the resource. So does the shim.
func TestListerReadsTheIndexer(t *testing.T) {
	a, b, c, d := widget("shop", "a", "red"), widget("shop", "b", "blue"), widget("other", "c", "red"), widget("", "d", "red")
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, w := range []*unstructured.Unstructured{a, b, c, d} {
		require.NoError(t, store.Add(w))
	}
	red := labels.SelectorFromSet(labels.Set{"is": "red"})
	l := dynamiclister.New(store, widgets)

	all, err := l.List(labels.Everything())
	require.NoError(t, err)
	require.ElementsMatch(t, []*unstructured.Unstructured{a, b, c, d}, all)
	inShop, err := l.Namespace("shop").List(red)
	require.NoError(t, err)
	require.Len(t, inShop, 1)
	require.Same(t, a, inShop[0])
	one, err := l.Namespace("shop").Get("b")
	require.NoError(t, err)
	require.Same(t, b, one)
	one, err = l.Get("d")
	require.NoError(t, err)
	require.Same(t, d, one)
	_, err = l.Namespace("shop").Get("c")
	require.True(t, apierrors.IsNotFound(err))
	require.ErrorContains(t, err, "widgets.example.com")

	shim := dynamiclister.NewRuntimeObjectShim(l)
	objects, err := shim.ByNamespace("shop").List(red)
	require.NoError(t, err)
	require.Len(t, objects, 1)
	require.Same(t, a, objects[0])
	objects, err = shim.List(red)
	require.NoError(t, err)
	require.Len(t, objects, 3)
	object, err := shim.ByNamespace("shop").Get("a")
	require.NoError(t, err)
	require.Same(t, a, object)
	object, err = shim.Get("nothing")
	require.True(t, apierrors.IsNotFound(err))
	require.Nil(t, object)
}

func TestObjectOfAnotherTypeIsAnError(t *testing.T) {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	require.NoError(t, store.Add(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a"}}))
	l := dynamiclister.New(store, widgets)
	_, err := l.List(labels.Everything())
	require.ErrorContains(t, err, "*v1.PartialObjectMetadata, not a *unstructured.Unstructured")
	_, err = l.Namespace("shop").Get("a")
	require.ErrorContains(t, err, "*v1.PartialObjectMetadata, not a *unstructured.Unstructured")
	_, err = dynamiclister.NewRuntimeObjectShim(l).ByNamespace("shop").List(labels.Everything())
	require.Error(t, err)
	_, err = dynamiclister.New(nil, widgets).List(labels.Everything())
	require.Error(t, err)
}
