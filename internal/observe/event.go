// Package observe has the type of the changes that an informer's store reports to
// package controller.
//
// The input is each change of the store, exactly once, in order and never merged: an
// observer is called by the goroutine that changes the store, after the change is
// visible to readers, and before handlers are notified and waits for a version end. So
// an observer must not block, must not call the informer's functions that wait, must not
// add an observer, and must not panic.
package observe

// Event is one change of a store.
type Event struct {
	// Key is the key of the object in the store.
	Key string
	// Old is the object before the change, nil if it was added. New is the object after
	// the change; for a deletion it is its last state.
	Old, New any
	// Deleted is set if the object has left the store.
	Deleted bool
	// Revision is the revision of the store that has the change: every snapshot with
	// this revision or a later one includes it.
	Revision uint64
	// Epoch is the informer's epoch of the object's namespace.
	Epoch int
	// Listed is set if a list has reported the change. Otherwise a watch has.
	Listed bool
}

// Observer receives each change. The Event is valid only during the call.
type Observer func(*Event)
