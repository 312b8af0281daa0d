package cache

// DeltaType says what happened to an object.
type DeltaType string

const (
	// Added, Updated, Deleted: a write of that name.
	Added   DeltaType = "Added"
	Updated DeltaType = "Updated"
	Deleted DeltaType = "Deleted"
	// Replaced: the object was in a list.
	Replaced DeltaType = "Replaced"
	// ReplacedAll: the Delta's object is a ReplacedAllInfo, a whole list.
	ReplacedAll DeltaType = "ReplacedAll"
	// Sync: nothing happened; the object is handed out once more.
	Sync DeltaType = "Sync"
	// SyncAll: the Delta's object is a SyncAllInfo; all are to be handed out once
	// more.
	SyncAll DeltaType = "SyncAll"
	// Bookmark: the Delta's object is a BookmarkInfo.
	Bookmark DeltaType = "Bookmark"
)

// Delta is one change of one object.
type Delta struct {
	Type   DeltaType
	Object any
}

// Deltas is what happened to one object, oldest first.
type Deltas []Delta

// Oldest is the first delta, nil if there is none.
func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest is the last delta, nil if there is none.
func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

// ReplacedAllInfo is the object of a ReplacedAll: a whole list, which from here
// on is all that there is.
type ReplacedAllInfo struct {
	// ResourceVersion is the version of the list.
	ResourceVersion string
	// Objects are the items, transformed.
	Objects []any
}

// SyncAllInfo is the object of a SyncAll.
type SyncAllInfo struct{}

// BookmarkInfo is the object of a Bookmark.
type BookmarkInfo struct {
	// ResourceVersion is what everything before has reached.
	ResourceVersion string
}
