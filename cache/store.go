package cache

// Store holds objects by their keys. It is client-go's untyped form of an
// [indexer.Indexer] without indexes: NewStore makes one.
//
// What it returns is shared: nobody may change an object after it was stored.
type Store interface {
	// Add stores obj, in the place of one with the same key.
	Add(obj any) error
	// Update is Add: what is there decides, not what it is called.
	Update(obj any) error
	// Delete removes the object with obj's key, if there is one.
	Delete(obj any) error
	// List is every object, in no order, in a slice of the caller's own.
	List() []any
	// ListKeys is the key of every object, in no order.
	ListKeys() []string
	// Get is the stored object with the key of obj.
	Get(obj any) (item any, exists bool, err error)
	// GetByKey is the stored object with that key.
	GetByKey(key string) (item any, exists bool, err error)
	// Replace makes list all that is stored, as one change.
	Replace(list []any, resourceVersion string) error
	// Resync does nothing in a store, which has nobody to tell.
	Resync() error
	// Bookmark says that the store has reached a version without a change.
	Bookmark(resourceVersion string)
	// LastStoreSyncResourceVersion is the version that the store has reached.
	LastStoreSyncResourceVersion() string
}
