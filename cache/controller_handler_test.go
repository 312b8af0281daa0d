package cache

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

type partial = *metav1.PartialObjectMetadata

// Functions that are nil are not called.
func TestHandlerFuncs(t *testing.T) {
	handler, typed := &recorder{}, &typedRecorder{}
	deleted := DeletedObject[partial]{OptionalObj: newObject("a@3")}
	for _, h := range []ResourceEventHandler{
		ResourceEventHandlerFuncs{}, ResourceEventHandlerDetailedFuncs{},
		ResourceEventHandlerFuncs{AddFunc: func(obj any) { handler.OnAdd(obj, false) }, UpdateFunc: handler.OnUpdate, DeleteFunc: handler.OnDelete},
		ResourceEventHandlerDetailedFuncs{AddFunc: handler.OnAdd, UpdateFunc: handler.OnUpdate, DeleteFunc: handler.OnDelete},
	} {
		h.OnAdd(newObject("a@1"), true)
		h.OnUpdate(newObject("a@1"), newObject("a@2"))
		h.OnDelete(newObject("a@3"))
	}
	for _, h := range []TypedResourceEventHandler[partial]{
		TypedResourceEventHandlerFuncs[partial]{}, TypedResourceEventHandlerDetailedFuncs[partial]{},
		TypedResourceEventHandlerFuncs[partial]{AddFunc: func(obj partial) { typed.OnAdd(obj, false) }, UpdateFunc: typed.OnUpdate, DeleteFunc: typed.OnDelete},
		TypedResourceEventHandlerDetailedFuncs[partial]{AddFunc: typed.OnAdd, UpdateFunc: typed.OnUpdate, DeleteFunc: typed.OnDelete},
	} {
		h.OnAdd(newObject("a@1"), true)
		h.OnUpdate(newObject("a@1"), newObject("a@2"))
		h.OnDelete(deleted)
	}
	require.Equal(t, []string{"add a@1", "update a@1 a@2", "delete a@3", "add a@1 (initial)", "update a@1 a@2", "delete a@3"}, handler.received)
	require.Equal(t, []string{"add a@1", "update a@1 a@2", "delete a@3 a", "add a@1 (initial)", "update a@1 a@2", "delete a@3 a"}, typed.received)
}

// A filter passes on a valid history of the accepted objects.
func TestFiltering(t *testing.T) {
	even := func(obj any) bool {
		if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		return obj.(partial).ResourceVersion[0]%2 == 0
	}
	handler, typed := &recorder{}, &typedRecorder{}
	filter := FilteringResourceEventHandler{FilterFunc: even, Handler: handler}
	typedFilter := TypedFilteringResourceEventHandler[partial]{FilterFunc: func(obj partial) bool { return obj != nil && even(obj) }, Handler: typed}
	for _, pair := range [][2]string{{"a@1", "a@3"}, {"a@1", "a@2"}, {"a@2", "a@4"}, {"a@2", "a@3"}} {
		filter.OnUpdate(newObject(pair[0]), newObject(pair[1]))
		typedFilter.OnUpdate(newObject(pair[0]), newObject(pair[1]))
	}
	for _, object := range []string{"a@1", "a@2"} {
		filter.OnAdd(newObject(object), true)
		filter.OnDelete(newObject(object))
		filter.OnDelete(DeletedFinalStateUnknown{"a", newObject(object)})
		typedFilter.OnAdd(newObject(object), true)
		typedFilter.OnDelete(DeletedObject[partial]{OptionalObj: newObject(object)})
	}
	typedFilter.OnDelete(DeletedObject[partial]{})
	require.Equal(t, []string{"add a@2", "update a@2 a@4", "delete a@2", "add a@2 (initial)", "delete a@2", "delete tombstone a a@2"}, handler.takeNow())
	require.Equal(t, []string{"add a@2", "update a@2 a@4", "delete a@2 a", "add a@2 (initial)", "delete a@2 a"}, typed.takeNow())
	FilteringResourceEventHandler{Handler: handler}.OnAdd(newObject("a@1"), false)
	TypedFilteringResourceEventHandler[partial]{Handler: typed}.OnAdd(newObject("a@1"), false)
	require.Len(t, handler.takeNow(), 1, "without FilterFunc all objects are accepted")
	require.Len(t, typed.takeNow(), 1)
}

func (r *recorder) takeNow() (received []string) {
	received, r.received = r.received, nil
	return received
}

// A filter in an informer receives a deletion exactly when the last state that
// it has seen was accepted, whatever the final state is.
func TestFilteringInInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		even := func(obj any) bool {
			if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			return obj.(partial).ResourceVersion[0]%2 == 0
		}
		source := newFakeSource("4", "a@2", "b@4", "c@3", "d@4")
		i := NewTypedSharedIndexInformer[partial](NewSharedIndexInformer(source, nil, 0, nil))
		handler, typed := &recorder{}, &typedRecorder{}
		_, err := i.AddEventHandler(&FilteringResourceEventHandler{FilterFunc: even,
			Handler: FilteringResourceEventHandler{FilterFunc: even, Handler: handler}})
		require.NoError(t, err)
		_, err = i.AddTypedEventHandler(&TypedFilteringResourceEventHandler[partial]{FilterFunc: func(obj partial) bool { return even(obj) },
			Handler: TypedFilteringResourceEventHandler[partial]{Handler: typed}})
		require.NoError(t, err)
		defer run(t, i)()
		require.Len(t, handler.take(), 3)
		require.Len(t, typed.take(), 3)
		source.send(watch.Deleted, newObject("a@5")) // seen before, no longer accepted
		source.send(watch.Deleted, newObject("c@6")) // not accepted before
		source.send(watch.Deleted, newObject("d@8"))
		require.Equal(t, []string{"delete a@2", "delete d@8"}, handler.take())
		require.Equal(t, []string{"delete a@2 a", "delete d@8 d"}, typed.take())
		source.setList("9")
		source.expire()
		require.Equal(t, []string{"delete tombstone b b@4"}, handler.take())
		require.Equal(t, []string{"delete b@4 b (unknown: tombstone b b@4)"}, typed.take())
	})
}

// With merged notifications, OnDelete receives a state that the filter has
// accepted.
func TestFilteringOfMergedTombstones(t *testing.T) {
	handler, typed := &recorder{}, &typedRecorder{}
	only := func(version string) func(obj any) bool {
		return func(obj any) bool {
			tombstone, ok := obj.(DeletedFinalStateUnknown)
			return ok && tombstone.Obj.(partial).ResourceVersion == version
		}
	}
	tombstone := DeletedFinalStateUnknown{"a", newObject("a@2")}
	callOnDelete(FilteringResourceEventHandler{FilterFunc: only("1"), Handler: handler}, newObject("a@1"), tombstone)
	callOnDelete(FilteringResourceEventHandler{FilterFunc: only("2"), Handler: handler}, newObject("a@1"), tombstone)
	require.Equal(t, []string{"delete tombstone a a@1"}, handler.takeNow())
	callOnDelete(&typedHandler[partial]{TypedFilteringResourceEventHandler[partial]{
		FilterFunc: func(obj partial) bool { return obj.ResourceVersion == "1" }, Handler: typed,
	}}, newObject("a@1"), tombstone)
	require.Equal(t, []string{"delete a@1 a (unknown: tombstone a a@1)"}, typed.takeNow())
}
