package cache

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// typedRecorder is a recorder with typed callbacks.
type typedRecorder struct{ recorder }

func (r *typedRecorder) OnAdd(obj partial, isInInitialList bool) {
	r.recorder.OnAdd(obj, isInInitialList)
}

func (r *typedRecorder) OnUpdate(oldObj, newObj partial) { r.recorder.OnUpdate(oldObj, newObj) }

func (r *typedRecorder) OnDelete(obj DeletedObject[partial]) {
	line := "delete " + describe(obj.OptionalObj) + " " + obj.GetKey()
	if obj.FinalStateUnknown != nil {
		line += " (unknown: " + describe(*obj.FinalStateUnknown) + ")"
	}
	r.record(line)
}

// The methods of DeletedObject return what is known.
func TestDeletedObject(t *testing.T) {
	shop := newObject("a@1")
	shop.Namespace = "shop"
	for name, tc := range map[string]struct {
		deleted DeletedObject[partial]
		key     string
		want    ObjectName
	}{
		"object":               {DeletedObject[partial]{OptionalObj: shop}, "shop/a", ObjectName{"shop", "a"}},
		"cluster-scoped":       {DeletedObject[partial]{OptionalObj: newObject("a@1")}, "a", ObjectName{"", "a"}},
		"zero value":           {DeletedObject[partial]{}, "", ObjectName{}},
		"only a key":           {DeletedObject[partial]{FinalStateUnknown: &DeletedFinalStateUnknown{Key: "x/y"}}, "x/y", ObjectName{"x", "y"}},
		"key and object":       {DeletedObject[partial]{OptionalObj: shop, FinalStateUnknown: &DeletedFinalStateUnknown{Key: "y"}}, "y", ObjectName{"", "y"}},
		"key with two slashes": {DeletedObject[partial]{FinalStateUnknown: &DeletedFinalStateUnknown{Key: "x/y/z"}}, "x/y/z", ObjectName{"x", "y/z"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.deleted.GetObjectName())
			require.Equal(t, tc.want.Namespace, tc.deleted.GetNamespace())
			require.Equal(t, tc.want.Name, tc.deleted.GetName())
			require.Equal(t, tc.key, tc.deleted.GetKey())
		})
	}
}

// A typed handler does not receive objects of other types. They are reported
// with both types.
func TestTypedHandlerReportsOtherTypes(t *testing.T) {
	var reported []string
	before := utilruntime.ErrorHandlers
	defer func() { utilruntime.ErrorHandlers = before }()
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(_ context.Context, err error, _ string, _ ...any) {
		reported = append(reported, err.Error())
	}}
	typed := &typedRecorder{}
	h := &typedHandler[partial]{typed}
	h.OnAdd("text", true)
	h.OnUpdate(newObject("a@1"), 7)
	h.OnUpdate(7, newObject("a@1"))
	h.OnDelete(nil)
	h.OnDelete(DeletedFinalStateUnknown{Key: "a", Obj: "text"})
	h.onDeleteAfter("text", "text")
	require.Empty(t, typed.received)
	require.Len(t, reported, 6)
	for _, line := range reported {
		require.Contains(t, line, "*v1.PartialObjectMetadata")
	}
	require.Contains(t, reported[0], "string")
	h.OnDelete(DeletedFinalStateUnknown{Key: "a"})
	require.Equal(t, []string{"delete nil a (unknown: tombstone a <nil>)"}, typed.received)
}
