// The work is done by the functions of the test.

package cache

// FakeCustomStore is a Store for tests that is made of functions. A method
// whose function is nil does nothing and returns zero values.
type FakeCustomStore struct {
	AddFunc                          func(obj any) error
	UpdateFunc                       func(obj any) error
	DeleteFunc                       func(obj any) error
	ListFunc                         func() []any
	ListKeysFunc                     func() []string
	GetFunc                          func(obj any) (item any, exists bool, err error)
	GetByKeyFunc                     func(key string) (item any, exists bool, err error)
	ReplaceFunc                      func(list []any, resourceVersion string) error
	ResyncFunc                       func() error
	BookmarkFunc                     func(rv string)
	LastStoreSyncResourceVersionFunc func() string
}

var _ Store = (*FakeCustomStore)(nil)

// Add calls AddFunc.
func (f *FakeCustomStore) Add(obj any) error { return fakeWrite(f.AddFunc, obj) }

// Update calls UpdateFunc.
func (f *FakeCustomStore) Update(obj any) error { return fakeWrite(f.UpdateFunc, obj) }

// Delete calls DeleteFunc.
func (f *FakeCustomStore) Delete(obj any) error { return fakeWrite(f.DeleteFunc, obj) }

func fakeWrite(write func(any) error, obj any) error {
	if write == nil {
		return nil
	}
	return write(obj)
}

// List calls ListFunc.
func (f *FakeCustomStore) List() []any { return fakeRead(f.ListFunc) }

// ListKeys calls ListKeysFunc.
func (f *FakeCustomStore) ListKeys() []string { return fakeRead(f.ListKeysFunc) }

// Resync calls ResyncFunc.
func (f *FakeCustomStore) Resync() error { return fakeRead(f.ResyncFunc) }

// LastStoreSyncResourceVersion calls LastStoreSyncResourceVersionFunc.
func (f *FakeCustomStore) LastStoreSyncResourceVersion() string {
	return fakeRead(f.LastStoreSyncResourceVersionFunc)
}

func fakeRead[R any](read func() R) (nothing R) {
	if read == nil {
		return nothing
	}
	return read()
}

// Get calls GetFunc.
func (f *FakeCustomStore) Get(obj any) (item any, exists bool, err error) {
	return fakeFind(f.GetFunc, obj)
}

// GetByKey calls GetByKeyFunc.
func (f *FakeCustomStore) GetByKey(key string) (item any, exists bool, err error) {
	return fakeFind(f.GetByKeyFunc, key)
}

func fakeFind[K any](find func(K) (any, bool, error), key K) (item any, exists bool, err error) {
	if find == nil {
		return nil, false, nil
	}
	return find(key)
}

// Replace calls ReplaceFunc.
func (f *FakeCustomStore) Replace(list []any, resourceVersion string) error {
	if f.ReplaceFunc == nil {
		return nil
	}
	return f.ReplaceFunc(list, resourceVersion)
}

// Bookmark calls BookmarkFunc.
func (f *FakeCustomStore) Bookmark(rv string) {
	if f.BookmarkFunc != nil {
		f.BookmarkFunc(rv)
	}
}
