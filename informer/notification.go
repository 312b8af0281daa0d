package informer

// A notification is what one change of the store means to handlers. There is
// one of it, however many handlers there are.
type notification[T any] struct {
	kind notificationKind
	// initial: the object belongs to the first list of the informer.
	initial bool
	// finalStateUnknown has a meaning in deleted.
	finalStateUnknown bool
	key               string
	// old has a meaning in updated and deleted, new in added and updated.
	old, new T
}

type notificationKind uint8

const (
	added notificationKind = iota + 1
	updated
	deleted
	// synced marks the end of the initial list; it has no object.
	synced
)
