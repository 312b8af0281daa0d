package interop

import (
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/indexer"
)

// Indexer returns an indexer of this module as a client-go indexer, for generated
// listers:
//
//	pods := listers.NewPodLister(interop.Indexer(informer.GetIndexer()))
//
// A lister of one namespace uses the index [clientcache.NamespaceIndex]; without that
// index, it reads all objects.
func Indexer(ours cache.Indexer) clientcache.Indexer {
	return indexed{ours}
}

// IndexerOf returns a typed indexer as a client-go indexer. Objects written through
// client-go's methods must be of type T.
func IndexerOf[T any](typed *indexer.Indexer[T]) clientcache.Indexer {
	return Indexer(cache.IndexerOf(typed))
}

// indexed embeds the methods that are equal in both interfaces; the others follow.
type indexed struct{ cache.Indexer }

// GetIndexers implements [clientcache.Indexer].
func (i indexed) GetIndexers() clientcache.Indexers {
	theirs := clientcache.Indexers{}
	for name, function := range i.Indexer.GetIndexers() {
		theirs[name] = clientcache.IndexFunc(function)
	}
	return theirs
}

// AddIndexers implements [clientcache.Indexer].
func (i indexed) AddIndexers(theirs clientcache.Indexers) error {
	return i.Indexer.AddIndexers(indexersOf(theirs))
}

// Get implements [clientcache.Store].
func (i indexed) Get(obj any) (item any, exists bool, err error) {
	return i.Indexer.Get(nameable(obj))
}

// Delete implements [clientcache.Store].
func (i indexed) Delete(obj any) error { return i.Indexer.Delete(nameable(obj)) }

// nameable converts an argument of client-go's key functions other than an object to
// the form that ours accept.
func nameable(obj any) any {
	switch o := obj.(type) {
	case clientcache.ExplicitKey:
		return cache.ExplicitKey(o)
	case clientcache.DeletedFinalStateUnknown:
		return cache.DeletedFinalStateUnknown{Key: o.Key, Obj: o.Obj}
	}
	return obj
}

func indexersOf(theirs clientcache.Indexers) cache.Indexers {
	ours := cache.Indexers{}
	for name, function := range theirs {
		ours[name] = cache.IndexFunc(function)
	}
	return ours
}
