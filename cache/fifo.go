package cache

import (
	"container/list"
	"sync"
)

// FIFO is a Queue of objects: it hands out the newest one of each key, in the
// order in which the keys came. Whoever deletes an object takes it out. A key that
// is written again while it waits keeps its place.
//
// One object is processed at a time. Writing does not wait for that; a Pop inside
// a process function waits for ever.
//
// The queue is synced by a single write that comes first, or when the list of the
// first Replace has been processed, or has been taken out.
type FIFO struct {
	keyFunc KeyFunc

	// mu guards everything below.
	mu sync.Mutex
	// changed is told of everything that a Pop may wait for.
	changed *sync.Cond
	// queue has a *fifoItem for each key, and places finds it there.
	queue  *list.List
	places map[string]*list.Element
	// busy: an object is being processed.
	busy    bool
	closed  bool
	initial initialList
}

// fifoItem is an object in a FIFO.
type fifoItem struct {
	key string
	obj any
	// initial: it counts in FIFO.initial.
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

// Add queues obj, or puts it in the place of the object of that key that waits.
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
	f.initial.begin(0)
	f.put(fifoItem{key: key, obj: obj})
	f.changed.Broadcast()
	return nil
}

// Update is Add.
func (f *FIFO) Update(obj any) error { return f.Add(obj) }

// Delete takes out the object with obj's key, if one waits.
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
	f.initial.begin(0)
	if place := f.places[key]; place != nil {
		f.take(place)
	}
	return nil
}

// Replace makes the objects of list, in their order, all that waits. If a key
// comes twice, its last object counts.
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
	gone := 0 // of the initial list
	for place := f.queue.Front(); place != nil; place = place.Next() {
		if place.Value.(*fifoItem).initial {
			gone++
		}
	}
	f.queue.Init()
	clear(f.places)
	initial := !f.initial.done()
	for _, item := range items {
		item.initial = initial
		f.put(item)
	}
	come := 0
	if initial {
		come = f.queue.Len()
	}
	f.initial.begin(come - gone)
}

// put queues an item, or puts its object in the place of the one that waits.
func (f *FIFO) put(item fifoItem) {
	if place := f.places[item.key]; place != nil {
		place.Value.(*fifoItem).obj = item.obj
		return
	}
	f.places[item.key] = f.queue.PushBack(&item)
}

// take takes an item out. If it counts, it counts as processed.
func (f *FIFO) take(place *list.Element) {
	item := f.queue.Remove(place).(*fifoItem)
	delete(f.places, item.key)
	if item.initial {
		f.initial.processed(1)
	}
}

// Pop waits for an object, and for the one before it to be processed, and calls
// process with it. It returns the object and what process returned.
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

// next waits for an object to process and takes it off the queue.
func (f *FIFO) next() (item *fifoItem, isInInitialList bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.busy || f.queue.Len() == 0 {
		if f.closed && f.queue.Len() == 0 {
			return nil, false, ErrFIFOClosed
		}
		f.changed.Wait()
	}
	item = f.queue.Remove(f.queue.Front()).(*fifoItem)
	delete(f.places, item.key)
	f.busy = true
	return item, !f.initial.done(), nil
}

func (f *FIFO) finish(item *fifoItem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy = false
	if item.initial {
		f.initial.processed(1)
	}
	f.changed.Broadcast()
}

// Resync does nothing: all that there is waits already.
func (f *FIFO) Resync() error { return nil }

// HasSynced reports whether the queue is synced: see FIFO.
func (f *FIFO) HasSynced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.initial.done()
}

// HasSyncedChecker is HasSynced to wait for.
func (f *FIFO) HasSyncedChecker() DoneChecker { return f }

// Name is "FIFO".
func (f *FIFO) Name() string { return "FIFO" }

// Done is closed when the queue is synced.
func (f *FIFO) Done() <-chan struct{} { return f.initial.synced }

// Close ends the queue: writing is an error from now on, and Pop hands out what
// is left.
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
