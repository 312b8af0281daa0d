// The work is done by this file.

package cache

import (
	"container/list"
	"errors"
	"sync"
)

// Queue is a ReflectorStore that returns the changes written to it in order.
type Queue interface {
	ReflectorStore
	// Pop waits for an item, calls process with it, and returns the error of
	// process. When the queue is closed and empty, Pop returns ErrFIFOClosed.
	Pop(process PopProcessFunc) (any, error)
	// HasSynced reports whether the first list has been processed.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker for HasSynced.
	HasSyncedChecker() DoneChecker
	// Close closes the queue: Pop returns the remaining items and then
	// ErrFIFOClosed.
	Close()
}

// QueueWithBatch is a Queue that can return many changes at a time.
type QueueWithBatch interface {
	Queue
	// PopBatch calls processBatch with several changes of different objects, or
	// processSingle with an item that cannot be batched.
	PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error
}

// PopProcessFunc processes a popped item. isInInitialList is true for items of
// the initial list.
type PopProcessFunc = func(obj any, isInInitialList bool) error

// ErrFIFOClosed means that the queue is closed. Writes return it
// immediately, and Pop when all queued items have been returned.
var ErrFIFOClosed = errors.New("cache: the queue is closed")

// errNoProcess is returned because without a process function the popped
// item would be lost.
var errNoProcess = errors.New("cache: the process function is nil")

// FIFO is a Queue of objects. It returns the newest object of each key, in the
// order in which the keys were added. A key that is written again while it is
// queued keeps its position. Delete removes a queued object.
//
// One object is processed at a time. Writes do not wait for processing. A Pop
// inside a process function deadlocks.
//
// The queue is synced immediately if the first write is a single write;
// otherwise when the objects of the first Replace have been processed or
// deleted.
type FIFO struct {
	keyFunc KeyFunc

	// mu guards the fields below.
	mu sync.Mutex
	// changed is signaled for everything that a Pop may wait for.
	changed *sync.Cond
	// queue contains a *fifoItem for each key. places maps the key to its
	// element.
	queue  *list.List
	places map[string]*list.Element
	// processing is true while an object is being processed.
	processing bool
	closed     bool
	initial    initialList
}

// fifoItem is an object in a FIFO.
type fifoItem struct {
	key string
	obj any
	// initial is true if the item is counted in FIFO.initial.
	initial bool
}

var (
	_ Queue       = (*FIFO)(nil)
	_ DoneChecker = (*FIFO)(nil)
)

// NewFIFO returns an empty queue.
func NewFIFO(keyFunc KeyFunc) *FIFO {
	f := &FIFO{keyFunc: keyFuncOr(keyFunc), queue: list.New(), places: map[string]*list.Element{}, initial: newInitialList()}
	f.changed = sync.NewCond(&f.mu)
	return f
}

// Add queues obj, or replaces the queued object with the same key.
func (f *FIFO) Add(obj any) error {
	key, err := f.keyFunc(obj)
	if err != nil {
		return asKeyError(obj, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrFIFOClosed
	}
	f.initial.start(0)
	f.put(fifoItem{key: key, obj: obj})
	f.changed.Broadcast()
	return nil
}

// Update calls Add.
func (f *FIFO) Update(obj any) error { return f.Add(obj) }

// Delete removes the queued object with obj's key, if there is one.
func (f *FIFO) Delete(obj any) error {
	key, err := f.keyFunc(obj)
	if err != nil {
		return asKeyError(obj, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrFIFOClosed
	}
	f.initial.start(0)
	if element := f.places[key]; element != nil {
		f.remove(element)
	}
	return nil
}

// Replace replaces all queued objects with the objects of list, in their order.
// If a key is repeated, its last object is queued.
func (f *FIFO) Replace(list []any, resourceVersion string) error {
	items := make([]fifoItem, len(list))
	for i, obj := range list {
		key, err := f.keyFunc(obj)
		if err != nil {
			return asKeyError(obj, err)
		}
		items[i] = fifoItem{key: key, obj: obj}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrFIFOClosed
	}
	f.replace(items)
	f.changed.Broadcast()
	return nil
}

func (f *FIFO) replace(items []fifoItem) {
	removed := 0 // items of the initial list
	for element := f.queue.Front(); element != nil; element = element.Next() {
		if element.Value.(*fifoItem).initial {
			removed++
		}
	}
	f.queue.Init()
	clear(f.places)
	initial := !f.initial.done()
	for _, item := range items {
		item.initial = initial
		f.put(item)
	}
	added := 0
	if initial {
		added = f.queue.Len()
	}
	f.initial.start(added - removed)
}

// put queues an item, or replaces the object of the queued item with the same
// key.
func (f *FIFO) put(item fifoItem) {
	if element := f.places[item.key]; element != nil {
		element.Value.(*fifoItem).obj = item.obj
		return
	}
	f.places[item.key] = f.queue.PushBack(&item)
}

// remove removes an item. An item of the initial list counts as processed.
func (f *FIFO) remove(element *list.Element) {
	item := f.queue.Remove(element).(*fifoItem)
	delete(f.places, item.key)
	if item.initial {
		f.initial.processed(1)
	}
}

// Pop waits for an object and for the end of the processing of the previous
// one, and calls process. It returns the object and the error of process.
func (f *FIFO) Pop(process PopProcessFunc) (any, error) {
	if process == nil {
		return nil, errNoProcess
	}
	item, isInInitialList, err := f.next()
	if err != nil {
		return nil, err
	}
	defer f.finish(item)
	return item.obj, process(item.obj, isInInitialList)
}

// next waits for an object to process and removes it from the queue.
func (f *FIFO) next() (item *fifoItem, isInInitialList bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.processing || f.queue.Len() == 0 {
		if f.closed && f.queue.Len() == 0 {
			return nil, false, ErrFIFOClosed
		}
		f.changed.Wait()
	}
	item = f.queue.Remove(f.queue.Front()).(*fifoItem)
	delete(f.places, item.key)
	f.processing = true
	return item, !f.initial.done(), nil
}

func (f *FIFO) finish(item *fifoItem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processing = false
	if item.initial {
		f.initial.processed(1)
	}
	f.changed.Broadcast()
}

// Resync does nothing: all objects are already queued.
func (f *FIFO) Resync() error { return nil }

// HasSynced reports whether the queue is synced, as defined for FIFO.
func (f *FIFO) HasSynced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.initial.done()
}

// HasSyncedChecker returns a DoneChecker for HasSynced.
func (f *FIFO) HasSyncedChecker() DoneChecker { return f }

// Name returns "FIFO".
func (f *FIFO) Name() string { return "FIFO" }

// Done returns a channel that is closed when the queue is synced.
func (f *FIFO) Done() <-chan struct{} { return f.initial.synced }

// Close closes the queue: writes return an error, and Pop returns the remaining
// items.
func (f *FIFO) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.changed.Broadcast()
}

// IsClosed reports whether Close was called.
func (f *FIFO) IsClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// initialList tracks when a queue has processed its initial content:
// immediately if the first write is a single write, otherwise when the first
// list has been processed. The caller guards it with a lock.
type initialList struct {
	// synced is closed when started is true and remaining is 0.
	synced chan struct{}
	// started is true after the first write.
	started bool
	// remaining is the number of items of the list that have not been
	// processed.
	remaining int
}

func newInitialList() initialList { return initialList{synced: make(chan struct{})} }

// start records a write and the number of items to process before the queue is
// synced.
func (l *initialList) start(items int) {
	l.started = true
	l.processed(-items)
}

// processed records that items of the list have been processed or removed.
func (l *initialList) processed(items int) {
	l.remaining -= items
	if l.started && l.remaining == 0 && !l.done() {
		close(l.synced)
	}
}

func (l *initialList) done() bool {
	select {
	case <-l.synced:
		return true
	default:
		return false
	}
}
