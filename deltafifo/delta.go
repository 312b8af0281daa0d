package deltafifo

import "fmt"

// DeltaType says what happened to an object.
type DeltaType uint8

const (
	// Added, Updated: a write of that name.
	Added DeltaType = iota + 1
	Updated
	// Deleted: the object is gone, or no longer wanted in the store.
	Deleted
	// Replaced: an item of a Replace that is new or differs from the known object.
	Replaced
	// Sync: nothing happened; Resync hands out the known object once more.
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

// A Delta is one change of one object. The type says what the source did. What
// it means for a store, the store knows: an Updated of an object that it lacks
// is an addition.
type Delta[T any] struct {
	Type   DeltaType
	Object T
	Key    string
	// FinalStateUnknown is set on a Deleted that nobody told us of: a Replace
	// lacked the object, or another one has taken its name. Object is then the
	// last state that was known.
	FinalStateUnknown bool
}

// Deltas is what happened to one object, oldest first.
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
