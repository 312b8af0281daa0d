package cache

// Queue is a ReflectorStore that hands out, in order, what was written to it.
type Queue interface {
	ReflectorStore
	// Pop waits for something to process, and calls process with it. What process
	// returns, Pop returns. ErrFIFOClosed is the end.
	Pop(process PopProcessFunc) (any, error)
	// HasSynced reports whether the first list has been processed.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
	HasSyncedChecker() DoneChecker
	// Close ends the queue: Pop hands out what is left, then returns
	// ErrFIFOClosed.
	Close()
}

// QueueWithBatch is a Queue that hands out many changes at a time.
type QueueWithBatch interface {
	Queue
	// PopBatch calls processBatch with several changes of different objects, or
	// processSingle with what is not to be mixed with others.
	PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error
}

// PopProcessFunc processes what Pop hands out. isInInitialList is true for what
// was there at the beginning.
type PopProcessFunc func(obj any, isInInitialList bool) error

// ProcessFunc processes what a Controller has popped.
type ProcessFunc func(obj any, isInInitialList bool) error

// ProcessBatchFunc processes several changes at a time.
type ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error

// KeyLister knows the keys of what is there.
type KeyLister interface {
	ListKeys() []string
}

// KeyGetter finds objects by their keys.
type KeyGetter interface {
	GetByKey(key string) (value any, exists bool, err error)
}

// KeyListerGetter is what a queue has to know of the store behind it.
type KeyListerGetter interface {
	KeyLister
	KeyGetter
}
