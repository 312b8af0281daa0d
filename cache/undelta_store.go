// The work is done by package indexer, which stores the objects.

package cache

// UndeltaStore is a Store that calls PushFunc with its complete contents after
// each change.
type UndeltaStore struct {
	Store
	// PushFunc receives all objects in a new slice. Concurrent writers call it
	// concurrently, and the last call need not have the last state. A single
	// Reflector writes sequentially.
	PushFunc func([]any)
}

var _ Store = (*UndeltaStore)(nil)

// NewUndeltaStore returns an empty UndeltaStore.
func NewUndeltaStore(pushFunc func([]any), keyFunc KeyFunc) *UndeltaStore {
	return &UndeltaStore{Store: NewStore(keyFunc), PushFunc: pushFunc}
}

// pushUnless calls PushFunc unless err is set.
func (u *UndeltaStore) pushUnless(err error) error {
	if err == nil && u.PushFunc != nil {
		u.PushFunc(u.List())
	}
	return err
}

// Add stores obj and calls PushFunc.
func (u *UndeltaStore) Add(obj any) error { return u.pushUnless(u.Store.Add(obj)) }

// Update stores obj and calls PushFunc.
func (u *UndeltaStore) Update(obj any) error { return u.pushUnless(u.Store.Update(obj)) }

// Delete removes obj and calls PushFunc.
func (u *UndeltaStore) Delete(obj any) error { return u.pushUnless(u.Store.Delete(obj)) }

// Replace replaces all objects with list and calls PushFunc.
func (u *UndeltaStore) Replace(list []any, resourceVersion string) error {
	return u.pushUnless(u.Store.Replace(list, resourceVersion))
}
