package cache

import (
	"errors"
	goruntime "runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/listwatch"
)

// pointerList is a list of pointers.
type pointerList struct {
	podList
	Items []*pod
}

func rawPod(name string) []byte {
	return []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"` + name + `","resourceVersion":"3"}}`)
}

func unstructuredPod(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetNamespace("shop")
	u.SetName(name)
	return u
}

// readAll returns the names and items of a list, and the errors of its other
// items.
func readAll[T any](t *testing.T, source listwatch.ListerWatcher[T], o metav1.ListOptions) (names []string, items []T, wrong []error, version string) {
	t.Helper()
	list, err := source.List(t.Context(), o)
	require.NoError(t, err)
	for item, err := range list.Items() {
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		items = append(items, item)
		names = append(names, any(item).(metav1.Object).GetName())
	}
	return names, items, wrong, list.ResourceVersion()
}

func listOnly(list runtime.Object) ListerWatcher {
	return funcSource{list: func() (runtime.Object, error) { return list, nil }}
}

// Every form of list into which clients decode is supported.
func TestAllFormsOfListsAreRead(t *testing.T) {
	meta := metav1.ListMeta{ResourceVersion: "7"}
	objects := []runtime.Object{newPod("a"), newPod("b")}
	untyped := &unstructured.UnstructuredList{Object: map[string]any{}, Items: []unstructured.Unstructured{*unstructuredPod("a"), *unstructuredPod("b")}}
	untyped.SetResourceVersion("7")
	asOne := &unstructured.Unstructured{Object: map[string]any{
		"kind": "PodList", "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "7"},
		"items": []any{unstructuredPod("a").Object, unstructuredPod("b").Object},
	}}
	for name, list := range map[string]runtime.Object{
		"structs":        podListOf("7", "a", "b"),
		"pointers":       &pointerList{podList: podList{ListMeta: meta}, Items: []*pod{newPod("a"), newPod("b")}},
		"interfaces":     &internalversion.List{ListMeta: meta, Items: objects},
		"extensions":     &metav1.List{ListMeta: meta, Items: []runtime.RawExtension{{Object: objects[0]}, {Object: objects[1]}}},
		"metadata":       &metav1.PartialObjectMetadataList{ListMeta: meta, Items: []metav1.PartialObjectMetadata{{ObjectMeta: newPod("a").ObjectMeta}, {ObjectMeta: newPod("b").ObjectMeta}}},
		"untyped":        untyped,
		"untyped object": asOne,
	} {
		t.Run(name, func(t *testing.T) {
			names, _, wrong, version := readAll(t, sourceOf[any](listOnly(list), sourceOptions{}), metav1.ListOptions{})
			require.Equal(t, []string{"a", "b"}, names)
			require.Empty(t, wrong)
			require.Equal(t, "7", version)
		})
	}
	_, items, _, _ := readAll(t, sourceOf[any](listOnly(asOne), sourceOptions{}), metav1.ListOptions{})
	require.Equal(t, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, items[0].(runtime.Object).GetObjectKind().GroupVersionKind(), "the kind is that of the list")
}

// An item of a list does not keep its page in memory.
func TestItemDoesNotRetainPage(t *testing.T) {
	var page weak.Pointer[pod]
	source := sourceOf[any](funcSource{list: func() (runtime.Object, error) {
		l := podListOf("7", "a", "b")
		page = weak.Make(&l.Items[0])
		return l, nil
	}}, sourceOptions{})
	_, items, _, _ := readAll(t, source, metav1.ListOptions{})
	require.NotNil(t, page)
	for range 3 {
		goruntime.GC()
	}
	require.Nil(t, page.Value(), "the page is still referenced")
	require.Equal(t, "a", items[0].(*pod).Name)
	goruntime.KeepAlive(items)
}

// An item of an unexpected type or kind affects no other item, and its error
// has its name.
func TestUnexpectedItems(t *testing.T) {
	kind := unstructuredPod("")
	kind.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	other := unstructuredPod("other")
	other.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Node"})
	expectedObject := unstructuredPod("expected")
	expectedObject.SetGroupVersionKind(kind.GroupVersionKind())
	for name, c := range map[string]struct {
		expected runtime.Object
		items    []runtime.RawExtension
		want     []string
		wrong    map[string]string // error texts by name
	}{
		"another type": {&pod{}, []runtime.RawExtension{{Object: expectedObject}, {Object: newPod("a")}}, []string{"a"},
			map[string]string{"expected": "unexpected type *unstructured.Unstructured, want *cache.pod"}},
		"another kind": {kind, []runtime.RawExtension{{Object: other}, {Object: expectedObject}}, []string{"expected"},
			map[string]string{"other": "unexpected kind /v1, Kind=Node, want /v1, Kind=Pod"}},
		"nil objects": {nil, []runtime.RawExtension{{}, {Object: (*pod)(nil)}, {Object: newPod("a")}}, []string{"a"}, map[string]string{"": "the object is nil"}},
		"undecoded":   {nil, []runtime.RawExtension{{Raw: rawPod("raw")}, {Raw: []byte("{")}, {Object: newPod("a")}}, []string{"a"}, map[string]string{"raw": decoded.ErrUndecoded.Error(), "": decoded.ErrUndecoded.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			source := sourceOf[any](listOnly(&metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: c.items}), sourceOptions{Expected: c.expected})
			names, _, wrong, version := readAll(t, source, metav1.ListOptions{})
			require.Equal(t, c.want, names)
			require.Equal(t, "7", version)
			require.Len(t, wrong, len(c.items)-len(c.want))
			for _, err := range wrong {
				var item *listwatch.ItemError
				require.ErrorAs(t, err, &item)
				require.Contains(t, c.wrong, item.Name)
				require.ErrorContains(t, err, c.wrong[item.Name])
			}
		})
	}
	_, _, wrong, _ := readAll(t, ToTyped[*pod](listOnly(untypedList("x"))), metav1.ListOptions{})
	require.Len(t, wrong, 1)
	require.ErrorContains(t, wrong[0], "want *cache.pod")
}

func untypedList(names ...string) *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{Object: map[string]any{}}
	l.SetResourceVersion("7")
	for _, name := range names {
		l.Items = append(l.Items, *unstructuredPod(name))
	}
	return l
}

// A result that is not a list is an error with its type.
func TestInvalidLists(t *testing.T) {
	for want, list := range map[string]runtime.Object{
		decoded.ErrNoList.Error():                       nil,
		"returned a *cache.pod, which is not a list":    newPod("a"),
		"returned a *v1.Table, which has no items":      &metav1.Table{},
		"the ListerWatcher returned neither a list nor": (*podList)(nil),
	} {
		_, err := sourceOf[any](listOnly(list), sourceOptions{}).List(t.Context(), metav1.ListOptions{})
		require.ErrorContains(t, err, want)
	}
	_, err := sourceOf[any](&ListWatch{}, sourceOptions{}).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	_, err = sourceOf[any](&ListWatch{}, sourceOptions{}).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	_, err = sourceOf[any](funcSource{watch: func() (watch.Interface, error) { return nil, nil }}, sourceOptions{}).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, decoded.ErrNoWatch)
	_, err = sourceOf[any](funcSource{watch: func() (watch.Interface, error) { return &manualWatch{}, nil }}, sourceOptions{}).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, decoded.ErrNoEvents)
	_, err = sourceOf[any](funcSource{list: func() (runtime.Object, error) { goruntime.Goexit(); return nil, nil }}, sourceOptions{}).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, decoded.ErrGoexit)
	require.Nil(t, sourceOf[any](nil, sourceOptions{}))
	require.Nil(t, sourceOf[any]((*ListWatch)(nil), sourceOptions{}))
}

// A list is read page by page, and restarted if a continue token has expired.
// The options set the page size.
func TestListsAreReadInPages(t *testing.T) {
	var asked []metav1.ListOptions
	expired := false
	lw := &ListWatch{ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
		asked = append(asked, o)
		switch {
		case o.Limit == 0 && o.Continue == "":
			return podListOf("9", "a", "b"), nil
		case o.Continue == "":
			l := podListOf("7", "a")
			l.Continue = "more"
			return l, nil
		case expired:
			return nil, apierrors.NewResourceExpired("expired")
		}
		return podListOf("8", "b"), nil
	}}
	names, _, wrong, version := readAll(t, sourceOf[any](lw, sourceOptions{}), metav1.ListOptions{})
	require.Equal(t, []string{"a", "b"}, names)
	require.Empty(t, wrong)
	require.Equal(t, "7", version, "the version of the first page")
	require.Equal(t, []metav1.ListOptions{{Limit: 500}, {Limit: 1000, Continue: "more"}}, asked)

	expired, asked = true, nil
	names, _, wrong, version = readAll(t, sourceOf[any](lw, sourceOptions{PageSize: 3}), metav1.ListOptions{ResourceVersion: "0"})
	require.Equal(t, []string{"a", "a", "b"}, names)
	require.ErrorIs(t, errors.Join(wrong...), listwatch.ErrRestarted)
	require.Equal(t, "9", version)
	require.Equal(t, []metav1.ListOptions{{ResourceVersion: "0", Limit: 3}, {Limit: 3, Continue: "more"}, {ResourceVersion: "0"}}, asked)

	for _, c := range []struct {
		whole bool
		size  int64
		opts  metav1.ListOptions
		want  int64
	}{
		{false, 0, metav1.ListOptions{ResourceVersion: "5"}, 0},
		{false, 3, metav1.ListOptions{ResourceVersion: "5"}, 0},
		{false, 3, metav1.ListOptions{Limit: 1}, 1},
		{true, 3, metav1.ListOptions{}, 0},
		{false, -1, metav1.ListOptions{}, 0},
	} {
		asked, expired = nil, false
		lw.DisableChunking = c.whole
		readAll(t, sourceOf[any](lw, sourceOptions{PageSize: c.size}), c.opts)
		require.Equal(t, c.want, asked[0].Limit)
	}
}
