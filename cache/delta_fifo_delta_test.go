package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tombstones of client-go's informers are converted to the type of this
// package, so that a migrated program handles only this type.
func TestTombstonesOfOtherPackages(t *testing.T) {
	foreign, own := foreignTombstone("shop/web", "obj"), DeletedFinalStateUnknown{Key: "shop/web", Obj: "obj"}

	key, err := DeletionHandlingMetaNamespaceKeyFunc(foreign)
	require.NoError(t, err)
	assert.Equal(t, "shop/web", key)
	name, err := DeletionHandlingObjectToName(foreign)
	require.NoError(t, err)
	assert.Equal(t, NewObjectName("shop", "web"), name)

	var got []any
	record := func(obj any) { got = append(got, obj) }
	for _, handler := range []ResourceEventHandler{
		ResourceEventHandlerFuncs{DeleteFunc: record},
		ResourceEventHandlerDetailedFuncs{DeleteFunc: record},
		FilteringResourceEventHandler{
			FilterFunc: func(obj any) bool { return obj == any(own) },
			Handler:    ResourceEventHandlerFuncs{DeleteFunc: record},
		},
	} {
		got = nil
		handler.OnDelete(foreign)
		assert.Equal(t, []any{own}, got, "%T", handler)
	}
}

// A type that has only the name or only the structure of a tombstone is not
// one.
func TestSimilarTypesAreNotTombstones(t *testing.T) {
	type other struct {
		Key string
		Obj any
	}
	for _, obj := range []any{nil, "a", 1, other{Key: "a"}, &other{}, sameNameTombstone("a"), &DeletedFinalStateUnknown{Key: "a"}} {
		_, ok := tombstoneOf(obj)
		assert.False(t, ok, "%T", obj)
		assert.Equal(t, obj, asTombstone(obj))
	}
}

func TestOnDeleteAllocatesNothing(t *testing.T) {
	obj := any(&struct{ Name string }{"web"})
	handler := ResourceEventHandlerFuncs{DeleteFunc: func(any) {}}
	assert.Zero(t, testing.AllocsPerRun(100, func() { handler.OnDelete(obj) }))
	tombstone := any(DeletedFinalStateUnknown{Key: "shop/web", Obj: obj})
	assert.Zero(t, testing.AllocsPerRun(100, func() { handler.OnDelete(tombstone) }))
}

// foreignTombstone returns a tombstone of another package with client-go's
// structure.
func foreignTombstone(key string, obj any) any {
	type DeletedFinalStateUnknown struct {
		Key string
		Obj any
	}
	return DeletedFinalStateUnknown{Key: key, Obj: obj}
}

// sameNameTombstone returns a value whose type has the same name and another
// structure.
func sameNameTombstone(key string) any {
	type DeletedFinalStateUnknown struct{ Key string }
	return DeletedFinalStateUnknown{Key: key}
}
