package cache

import "reflect"

// DeletedFinalStateUnknown is a tombstone: it stands in the place of an object
// that is gone without anybody having seen it go. Obj is the last state that was
// known; it may be out of date, or nil.
//
// Informers of a generated factory are client-go's, and tell of client-go's
// tombstones. The handlers and the key functions of this package take them for
// their own: a program whose imports have changed asks for this type only.
type DeletedFinalStateUnknown struct {
	Key string
	Obj any
}

var tombstoneType = reflect.TypeFor[DeletedFinalStateUnknown]()

// tombstoneOf is obj as a tombstone, if it is one: of this package, or of another
// that has the same type under the same name.
func tombstoneOf(obj any) (DeletedFinalStateUnknown, bool) {
	if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
		return tombstone, true
	}
	kind := reflect.TypeOf(obj)
	if kind == nil || kind.Kind() != reflect.Struct || kind.Name() != tombstoneType.Name() || !kind.ConvertibleTo(tombstoneType) {
		return DeletedFinalStateUnknown{}, false
	}
	return reflect.ValueOf(obj).Convert(tombstoneType).Interface().(DeletedFinalStateUnknown), true
}

// asTombstone is what an OnDelete is given, as this package's tombstone if it is
// any.
func asTombstone(obj any) any {
	if _, own := obj.(DeletedFinalStateUnknown); own {
		return obj
	}
	if tombstone, ok := tombstoneOf(obj); ok {
		return tombstone
	}
	return obj
}
