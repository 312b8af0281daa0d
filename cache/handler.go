package cache

// ResourceEventHandler is told what happens to the objects of an informer, one
// call after another. For each key it sees OnAdd, then OnUpdates, then OnDelete.
type ResourceEventHandler interface {
	// OnAdd: obj is there. isInInitialList says that it was there when the
	// handler was added, or when the informer began.
	OnAdd(obj any, isInInitialList bool)
	// OnUpdate: what was oldObj is newObj. In a resync both are the same.
	OnUpdate(oldObj, newObj any)
	// OnDelete: obj is gone. Where nobody saw it go, obj is a
	// DeletedFinalStateUnknown.
	OnDelete(obj any)
}
