package deltafifo

import "fmt"

// DeltaType is the kind of a change.
type DeltaType uint8

const (
	// Added and Updated result from calls of Add and Update.
	Added DeltaType = iota + 1
	Updated
	// Deleted: the object was deleted, or the transform has rejected it.
	Deleted
	// Replaced: an item of a Replace that is new or differs from the known
	// object.
	Replaced
	// Sync: no change; Resync delivers the known object again.
	Sync
)

func (t DeltaType) String() string {
	switch t {
	case Added:
		return "Added"
	case Updated:
		return "Updated"
	case Deleted:
		return "Deleted"
	case Replaced:
		return "Replaced"
	case Sync:
		return "Sync"
	default:
		return fmt.Sprintf("DeltaType(%d)", uint8(t))
	}
}

// A Delta is one change of one object. Its Type is the kind of change that the
// source reported. Its effect depends on the contents of the store: an Updated
// of a missing object is an addition.
type Delta[T any] struct {
	Type   DeltaType
	Object T
	Key    string
	// FinalStateUnknown is set on a Deleted without a delete event: a Replace
	// did not contain the object, or another object has its name. Object is then
	// the last known state. In a batch the flag remains set even if the final
	// state arrives later; see Delete.
	FinalStateUnknown bool
}

// Deltas are the changes of one object, oldest first.
type Deltas[T any] []Delta[T]

// Oldest returns the first delta, nil if there is none.
func (d Deltas[T]) Oldest() *Delta[T] {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest returns the last delta, nil if there is none.
func (d Deltas[T]) Newest() *Delta[T] {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}
