// The work is done by package deltafifo. This file has the untyped changes and their keys.

package cache

import (
	"errors"
	"reflect"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
)

// DeltaType is the type of a change.
type DeltaType string

const (
	// Added, Updated and Deleted are the results of the calls with these names.
	Added   DeltaType = "Added"
	Updated DeltaType = "Updated"
	Deleted DeltaType = "Deleted"
	// Replaced means that the object was in a list.
	Replaced DeltaType = "Replaced"
	// ReplacedAll means that the Delta's object is a ReplacedAllInfo: a whole
	// list.
	ReplacedAll DeltaType = "ReplacedAll"
	// Sync means that the object did not change and is processed once more.
	Sync DeltaType = "Sync"
	// SyncAll means that the Delta's object is a SyncAllInfo: all objects are
	// processed once more.
	SyncAll DeltaType = "SyncAll"
	// Bookmark means that the Delta's object is a BookmarkInfo.
	Bookmark DeltaType = "Bookmark"
)

// Delta is one change of one object.
type Delta struct {
	Type   DeltaType
	Object any
}

// Deltas are the changes of one object, oldest first.
type Deltas []Delta

// Oldest returns the first delta, or nil if there is none.
func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest returns the last delta, or nil if there is none.
func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

// DeletedFinalStateUnknown is a tombstone: it replaces an object whose deletion
// event was missed. Obj is the last known state, which may be out of date or
// nil.
//
// Informers of a generated factory use client-go's type. The handlers and key
// functions of this package convert it, so that a program whose imports have
// changed handles only this type.
type DeletedFinalStateUnknown struct {
	Key string
	Obj any
}

var tombstoneType = reflect.TypeFor[DeletedFinalStateUnknown]()

// tombstoneOf returns obj as a tombstone. It accepts the type of this package
// and types with the same name and structure, such as client-go's.
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

// asTombstone converts a tombstone of another package to that of this package
// and returns other objects unchanged.
func asTombstone(obj any) any {
	if _, own := obj.(DeletedFinalStateUnknown); own {
		return obj
	}
	if tombstone, ok := tombstoneOf(obj); ok {
		return tombstone
	}
	return obj
}

// TransformFunc changes an object before it is stored. It may modify its
// argument, which is not shared yet. On an error the object is skipped and its
// stored state is kept.
type TransformFunc = func(any) (any, error)

// ErrZeroLengthDeltasObject means that empty Deltas have no key. It is
// wrapped in a KeyError.
var ErrZeroLengthDeltasObject = errors.New("Deltas of length 0 have no key")

// queueKey returns the key of an object, a tombstone or Deltas.
func queueKey(keyFunc KeyFunc, obj any) (string, error) {
	if deltas, ok := obj.(Deltas); ok {
		newest := deltas.Newest()
		if newest == nil {
			return "", KeyError{Obj: obj, Err: ErrZeroLengthDeltasObject}
		}
		obj = newest.Object
	}
	if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
		return tombstone.Key, nil
	}
	return keyFunc(obj)
}

// asKeyError returns err as a KeyError, the type that users of client-go
// expect.
func asKeyError(obj any, err error) error {
	if known := (KeyError{}); errors.As(err, &known) {
		return known
	}
	return KeyError{Obj: obj, Err: err}
}

// queueError converts an error of package deltafifo to the error that
// client-go's users expect. obj is the written object.
func queueError(obj any, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, deltafifo.ErrClosed) {
		return ErrFIFOClosed
	}
	if keyErr := (*indexer.KeyError)(nil); errors.As(err, &keyErr) {
		return asKeyError(obj, keyErr.Err)
	}
	return err
}
