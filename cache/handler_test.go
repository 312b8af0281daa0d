package cache

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

type partial = *metav1.PartialObjectMetadata

// typedEar is an ear with a type.
type typedEar struct{ ear }

func (e *typedEar) OnAdd(obj partial, isInInitialList bool) { e.ear.OnAdd(obj, isInInitialList) }
func (e *typedEar) OnUpdate(oldObj, newObj partial)         { e.ear.OnUpdate(oldObj, newObj) }
func (e *typedEar) OnDelete(obj DeletedObject[partial]) {
	line := "delete " + show(obj.OptionalObj) + " " + obj.GetKey()
	if obj.FinalStateUnknown != nil {
		line += " (unknown: " + show(*obj.FinalStateUnknown) + ")"
	}
	e.say(line)
}

// Functions that are nil are not called.
func TestHandlerFuncs(t *testing.T) {
	e, typed := &ear{}, &typedEar{}
	deleted := DeletedObject[partial]{OptionalObj: ware("a@3")}
	for _, h := range []ResourceEventHandler{
		ResourceEventHandlerFuncs{}, ResourceEventHandlerDetailedFuncs{},
		ResourceEventHandlerFuncs{AddFunc: func(obj any) { e.OnAdd(obj, false) }, UpdateFunc: e.OnUpdate, DeleteFunc: e.OnDelete},
		ResourceEventHandlerDetailedFuncs{AddFunc: e.OnAdd, UpdateFunc: e.OnUpdate, DeleteFunc: e.OnDelete},
	} {
		h.OnAdd(ware("a@1"), true)
		h.OnUpdate(ware("a@1"), ware("a@2"))
		h.OnDelete(ware("a@3"))
	}
	for _, h := range []TypedResourceEventHandler[partial]{
		TypedResourceEventHandlerFuncs[partial]{}, TypedResourceEventHandlerDetailedFuncs[partial]{},
		TypedResourceEventHandlerFuncs[partial]{AddFunc: func(obj partial) { typed.OnAdd(obj, false) }, UpdateFunc: typed.OnUpdate, DeleteFunc: typed.OnDelete},
		TypedResourceEventHandlerDetailedFuncs[partial]{AddFunc: typed.OnAdd, UpdateFunc: typed.OnUpdate, DeleteFunc: typed.OnDelete},
	} {
		h.OnAdd(ware("a@1"), true)
		h.OnUpdate(ware("a@1"), ware("a@2"))
		h.OnDelete(deleted)
	}
	require.Equal(t, []string{"add a@1", "update a@1 a@2", "delete a@3", "add a@1 (initial)", "update a@1 a@2", "delete a@3"}, e.heard)
	require.Equal(t, []string{"add a@1", "update a@1 a@2", "delete a@3 a", "add a@1 (initial)", "update a@1 a@2", "delete a@3 a"}, typed.heard)
}

// What a filter passes on is a legal history of what is chosen, by itself and in
// an informer.
func TestFiltering(t *testing.T) {
	even := func(obj any) bool {
		if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		return obj.(partial).ResourceVersion[0]%2 == 0
	}
	e, typed := &ear{}, &typedEar{}
	filter := FilteringResourceEventHandler{FilterFunc: even, Handler: e}
	typedFilter := TypedFilteringResourceEventHandler[partial]{FilterFunc: func(obj partial) bool { return obj != nil && even(obj) }, Handler: typed}
	for _, pair := range [][2]string{{"a@1", "a@3"}, {"a@1", "a@2"}, {"a@2", "a@4"}, {"a@2", "a@3"}} {
		filter.OnUpdate(ware(pair[0]), ware(pair[1]))
		typedFilter.OnUpdate(ware(pair[0]), ware(pair[1]))
	}
	for _, words := range []string{"a@1", "a@2"} {
		filter.OnAdd(ware(words), true)
		filter.OnDelete(ware(words))
		filter.OnDelete(DeletedFinalStateUnknown{"a", ware(words)})
		typedFilter.OnAdd(ware(words), true)
		typedFilter.OnDelete(DeletedObject[partial]{OptionalObj: ware(words)})
	}
	typedFilter.OnDelete(DeletedObject[partial]{})
	require.Equal(t, []string{"add a@2", "update a@2 a@4", "delete a@2", "add a@2 (initial)", "delete a@2", "delete tombstone a a@2"}, e.take0())
	require.Equal(t, []string{"add a@2", "update a@2 a@4", "delete a@2 a", "add a@2 (initial)", "delete a@2 a"}, typed.take0())
	FilteringResourceEventHandler{Handler: e}.OnAdd(ware("a@1"), false)
	TypedFilteringResourceEventHandler[partial]{Handler: typed}.OnAdd(ware("a@1"), false)
	require.Len(t, e.take0(), 1, "no filter chooses all")
	require.Len(t, typed.take0(), 1)
}

func (e *ear) take0() (heard []string) {
	heard, e.heard = e.heard, nil
	return heard
}

// A filter in an informer tells of a deletion exactly when what it told before was
// chosen, whatever became of the object in the end.
func TestFilteringInAnInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		even := func(obj any) bool {
			if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			return obj.(partial).ResourceVersion[0]%2 == 0
		}
		m := newMarket("4", "a@2", "b@4", "c@3", "d@4")
		i := NewTypedSharedIndexInformer[partial](NewSharedIndexInformer(m, nil, 0, nil))
		e, typed := &ear{}, &typedEar{}
		_, err := i.AddEventHandler(&FilteringResourceEventHandler{FilterFunc: even,
			Handler: FilteringResourceEventHandler{FilterFunc: even, Handler: e}})
		require.NoError(t, err)
		_, err = i.AddTypedEventHandler(&TypedFilteringResourceEventHandler[partial]{FilterFunc: func(obj partial) bool { return even(obj) },
			Handler: TypedFilteringResourceEventHandler[partial]{Handler: typed}})
		require.NoError(t, err)
		defer run(t, i)()
		require.Len(t, e.take(), 3)
		require.Len(t, typed.take(), 3)
		m.tell(watch.Deleted, ware("a@5")) // seen, and no longer chosen
		m.tell(watch.Deleted, ware("c@6")) // never seen
		m.tell(watch.Deleted, ware("d@8"))
		require.Equal(t, []string{"delete a@2", "delete d@8"}, e.take())
		require.Equal(t, []string{"delete a@2 a", "delete d@8 d"}, typed.take())
		m.stock("9")
		m.expire()
		require.Equal(t, []string{"delete tombstone b b@4"}, e.take())
		require.Equal(t, []string{"delete b@4 b (unknown: tombstone b b@4)"}, typed.take())
	})
}

// Merged or not, a filter gives back what it has told.
func TestFilteringOfTombstonesThatWereMerged(t *testing.T) {
	e, typed := &ear{}, &typedEar{}
	only := func(version string) func(obj any) bool {
		return func(obj any) bool {
			tombstone, ok := obj.(DeletedFinalStateUnknown)
			return ok && tombstone.Obj.(partial).ResourceVersion == version
		}
	}
	tombstone := DeletedFinalStateUnknown{"a", ware("a@2")}
	tellDelete(FilteringResourceEventHandler{FilterFunc: only("1"), Handler: e}, ware("a@1"), tombstone)
	tellDelete(FilteringResourceEventHandler{FilterFunc: only("2"), Handler: e}, ware("a@1"), tombstone)
	require.Equal(t, []string{"delete tombstone a a@1"}, e.take0())
	tellDelete(&typedHandler[partial]{TypedFilteringResourceEventHandler[partial]{
		FilterFunc: func(obj partial) bool { return obj.ResourceVersion == "1" }, Handler: typed,
	}}, ware("a@1"), tombstone)
	require.Equal(t, []string{"delete a@1 a (unknown: tombstone a a@1)"}, typed.take0())
}

// DeletedObject answers whatever it has.
func TestDeletedObject(t *testing.T) {
	shop := ware("a@1")
	shop.Namespace = "shop"
	for name, tc := range map[string]struct {
		deleted DeletedObject[partial]
		key     string
		want    ObjectName
	}{
		"object":           {DeletedObject[partial]{OptionalObj: shop}, "shop/a", ObjectName{"shop", "a"}},
		"cluster-wide":     {DeletedObject[partial]{OptionalObj: ware("a@1")}, "a", ObjectName{"", "a"}},
		"nothing":          {DeletedObject[partial]{}, "", ObjectName{}},
		"a key":            {DeletedObject[partial]{FinalStateUnknown: &DeletedFinalStateUnknown{Key: "x/y"}}, "x/y", ObjectName{"x", "y"}},
		"a key and object": {DeletedObject[partial]{OptionalObj: shop, FinalStateUnknown: &DeletedFinalStateUnknown{Key: "y"}}, "y", ObjectName{"", "y"}},
		"an odd key":       {DeletedObject[partial]{FinalStateUnknown: &DeletedFinalStateUnknown{Key: "x/y/z"}}, "x/y/z", ObjectName{"x", "y/z"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.deleted.GetObjectName())
			require.Equal(t, tc.want.Namespace, tc.deleted.GetNamespace())
			require.Equal(t, tc.want.Name, tc.deleted.GetName())
			require.Equal(t, tc.key, tc.deleted.GetKey())
		})
	}
}

// A typed handler is not told of objects of other types, which is reported by
// both types.
func TestTypedHandlerOfOtherTypes(t *testing.T) {
	var reported []string
	before := utilruntime.ErrorHandlers
	defer func() { utilruntime.ErrorHandlers = before }()
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(_ context.Context, err error, _ string, _ ...any) {
		reported = append(reported, err.Error())
	}}
	typed := &typedEar{}
	h := &typedHandler[partial]{typed}
	h.OnAdd("text", true)
	h.OnUpdate(ware("a@1"), 7)
	h.OnUpdate(7, ware("a@1"))
	h.OnDelete(nil)
	h.OnDelete(DeletedFinalStateUnknown{Key: "a", Obj: "text"})
	h.onDeleteAfter("text", "text")
	require.Empty(t, typed.heard)
	require.Len(t, reported, 6)
	for _, line := range reported {
		require.Contains(t, line, "*v1.PartialObjectMetadata")
	}
	require.Contains(t, reported[0], "string")
	h.OnDelete(DeletedFinalStateUnknown{Key: "a"})
	require.Equal(t, []string{"delete nil a (unknown: tombstone a <nil>)"}, typed.heard)
}

// The typed form of an informer is the informer.
func TestTypedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i := NewTypedSharedIndexInformer[partial](NewSharedIndexInformer(m, &metav1.PartialObjectMetadata{}, 0, nil))
		typed := &typedEar{}
		_, err := i.AddTypedEventHandler(typed)
		require.NoError(t, err)
		_, err = i.AddTypedEventHandler(typed, HandlerOptions{}, HandlerOptions{})
		require.ErrorContains(t, err, "2")
		require.NoError(t, i.AddTypedIndexers(TypedIndexers[partial]{"version": func(obj partial) ([]string, error) { return []string{obj.ResourceVersion}, nil }}))
		defer run(t, i)()
		m.tell(watch.Modified, ware("a@2"))
		m.tell(watch.Deleted, ware("a@3"))
		require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@2", "delete a@3 a"}, typed.take())
		m.tell(watch.Added, ware("b@4"))
		found, err := i.GetTypedIndexer().ByTypedIndex("version", "4")
		require.NoError(t, err)
		require.Equal(t, []partial{ware("b@4")}, found)
	})
}

// A handler is called by where its code is.
func TestNamesOfHandlers(t *testing.T) {
	for want, h := range map[string]ResourceEventHandler{
		"cache.TestNamesOfHandlers.func1":         ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {}},
		"cache.TestNamesOfHandlers.func2":         &ResourceEventHandlerDetailedFuncs{AddFunc: func(any, bool) {}},
		"cache.TestNamesOfHandlers.func3":         FilteringResourceEventHandler{Handler: &ResourceEventHandlerFuncs{AddFunc: func(any) {}}},
		"cache.TestNamesOfHandlers.func4":         &typedHandler[partial]{TypedResourceEventHandlerFuncs[partial]{AddFunc: func(partial) {}}},
		"*cache.ear":                              &FilteringResourceEventHandler{Handler: &ear{}},
		"*cache.typedEar":                         &typedHandler[partial]{&typedEar{}},
		"cache.ResourceEventHandlerDetailedFuncs": ResourceEventHandlerDetailedFuncs{},
	} {
		require.Contains(t, nameOfHandler(h), want)
	}
}
