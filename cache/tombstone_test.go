package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A generated factory's informers are client-go's, and so are their tombstones:
// who has changed his imports asks for this package's type alone.
func TestTombstonesOfAnotherPackageAreKnown(t *testing.T) {
	foreign, own := foreignTombstone("shop/web", "obj"), DeletedFinalStateUnknown{Key: "shop/web", Obj: "obj"}

	key, err := DeletionHandlingMetaNamespaceKeyFunc(foreign)
	require.NoError(t, err)
	assert.Equal(t, "shop/web", key)
	name, err := DeletionHandlingObjectToName(foreign)
	require.NoError(t, err)
	assert.Equal(t, NewObjectName("shop", "web"), name)

	var got []any
	hear := func(obj any) { got = append(got, obj) }
	for _, handler := range []ResourceEventHandler{
		ResourceEventHandlerFuncs{DeleteFunc: hear},
		ResourceEventHandlerDetailedFuncs{DeleteFunc: hear},
		FilteringResourceEventHandler{
			FilterFunc: func(obj any) bool { return obj == any(own) },
			Handler:    ResourceEventHandlerFuncs{DeleteFunc: hear},
		},
	} {
		got = nil
		handler.OnDelete(foreign)
		assert.Equal(t, []any{own}, got, "%T", handler)
	}
}

// Of the same name or of the same form alone is not enough, and nothing is taken
// for a tombstone that is none.
func TestWhatIsNoTombstone(t *testing.T) {
	type other struct {
		Key string
		Obj any
	}
	for _, obj := range []any{nil, "a", 1, other{Key: "a"}, &other{}, namesake("a"), &DeletedFinalStateUnknown{Key: "a"}} {
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

// foreignTombstone is a tombstone of client-go's form.
func foreignTombstone(key string, obj any) any {
	type DeletedFinalStateUnknown struct {
		Key string
		Obj any
	}
	return DeletedFinalStateUnknown{Key: key, Obj: obj}
}

// namesake has the name and another form.
func namesake(key string) any {
	type DeletedFinalStateUnknown struct{ Key string }
	return DeletedFinalStateUnknown{Key: key}
}
