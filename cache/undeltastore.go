package cache

// UndeltaStore is a Store that hands on all it has after each change: it turns
// changes into states.
type UndeltaStore struct {
	Store
	// PushFunc is given every object, in a slice of its own. Writers that write at
	// the same time call it at the same time, and the last call need not be the
	// one with the last state: one Reflector writes one after another.
	PushFunc func([]any)
}

var _ Store = (*UndeltaStore)(nil)

// NewUndeltaStore returns an empty UndeltaStore.
func NewUndeltaStore(pushFunc func([]any), keyFunc KeyFunc) *UndeltaStore {
	return &UndeltaStore{Store: NewStore(keyFunc), PushFunc: pushFunc}
}

// pushUnless hands on what is stored, if it was written.
func (u *UndeltaStore) pushUnless(err error) error {
	if err == nil && u.PushFunc != nil {
		u.PushFunc(u.List())
	}
	return err
}

// Add stores obj, and hands on what is stored.
func (u *UndeltaStore) Add(obj any) error { return u.pushUnless(u.Store.Add(obj)) }

// Update stores obj, and hands on what is stored.
func (u *UndeltaStore) Update(obj any) error { return u.pushUnless(u.Store.Update(obj)) }

// Delete removes obj, and hands on what is stored.
func (u *UndeltaStore) Delete(obj any) error { return u.pushUnless(u.Store.Delete(obj)) }

// Replace makes list all that is stored, and hands that on.
func (u *UndeltaStore) Replace(list []any, resourceVersion string) error {
	return u.pushUnless(u.Store.Replace(list, resourceVersion))
}
