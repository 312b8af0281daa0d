package cache

// ReflectorStore is what a Reflector keeps up to date. Every Store and every
// Queue is one.
type ReflectorStore interface {
	Add(obj any) error
	Update(obj any) error
	Delete(obj any) error
	Replace(list []any, resourceVersion string) error
	Resync() error
}

// ReflectorBookmarkStore is a ReflectorStore that is told of bookmarks.
type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

// ResourceVersionUpdater is a ReflectorStore that is told the version that each
// event and each bookmark has led to.
type ResourceVersionUpdater interface {
	UpdateResourceVersion(resourceVersion string)
}

// TransformingStore is a ReflectorStore that transforms what it is given. Nobody
// else does: a Reflector never calls the function itself.
type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

// TransformFunc changes an object before it is stored. It may change what it is
// given, which no one else has yet. An error costs that object: what was stored
// of it stays.
type TransformFunc func(any) (any, error)
