package interop

import (
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/indexer"
)

// Indexer is an indexer of this module as client-go's, which is what generated
// listers read:
//
//	pods := listers.NewPodLister(interop.Indexer(informer.GetIndexer()))
//
// A lister of one namespace looks for the index [clientcache.NamespaceIndex],
// and reads everything where there is none.
func Indexer(ours cache.Indexer) clientcache.Indexer {
	return indexed{ours}
}

// IndexerOf is a typed indexer as client-go's. What is written to it through
// client-go's methods must be a T.
func IndexerOf[T any](typed *indexer.Indexer[T]) clientcache.Indexer {
	return Indexer(cache.IndexerOf(typed))
}

// indexed is everything that the two interfaces spell alike, and what is left.
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

// nameable is what client-go's key functions take in the place of an object, as
// ours take it.
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
