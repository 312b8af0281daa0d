// The work is done by this file and the standard library.

package cache

import (
	"container/heap"
	"errors"
	"fmt"
	"sync"
)

// LessFunc reports whether the first object comes before the second.
type LessFunc = func(any, any) bool

var (
	errHeapClosed = errors.New("cache: the heap is closed")
	errNoLessFunc = errors.New("cache: the heap has no LessFunc")
)

// Heap is a priority queue that is ordered by a LessFunc and contains one
// object per key. The LessFunc is called with the lock of the heap held and
// must not call the heap. If it panics on a new object, the object is not
// added.
type Heap struct {
	keyFunc KeyFunc

	// mu guards the fields below.
	mu sync.RWMutex
	// changed is signaled for everything that a Pop may wait for.
	changed *sync.Cond
	// order and byKey contain the same items.
	order  heapOrder
	byKey  map[string]*heapItem
	closed bool
}

type heapItem struct {
	key string
	obj any
	// index is the position of the item in heapOrder.items.
	index int
}

// heapOrder implements heap.Interface.
type heapOrder struct {
	items []*heapItem
	less  LessFunc
}

func (o *heapOrder) Len() int           { return len(o.items) }
func (o *heapOrder) Less(i, j int) bool { return o.less(o.items[i].obj, o.items[j].obj) }

func (o *heapOrder) Swap(i, j int) {
	o.items[i], o.items[j] = o.items[j], o.items[i]
	o.items[i].index, o.items[j].index = i, j
}

func (o *heapOrder) Push(item any) {
	added := item.(*heapItem)
	added.index = len(o.items)
	o.items = append(o.items, added)
}

func (o *heapOrder) Pop() any {
	last := len(o.items) - 1
	item := o.items[last]
	o.items[last] = nil
	o.items = o.items[:last]
	return item
}

// NewHeap returns an empty heap. Without a LessFunc nothing can be added to it.
func NewHeap(keyFn KeyFunc, lessFn LessFunc) *Heap {
	h := &Heap{keyFunc: keyFuncOr(keyFn), order: heapOrder{less: lessFn}, byKey: map[string]*heapItem{}}
	h.changed = sync.NewCond(&h.mu)
	return h
}

// Add adds obj, or replaces the object with the same key.
func (h *Heap) Add(obj any) error { return h.add(true, obj) }

// BulkAdd adds all objects of list before any of them can be popped. If one of
// them has no key, none is added.
func (h *Heap) BulkAdd(list []any) error { return h.add(true, list...) }

// AddIfNotPresent adds obj if there is no object with the same key.
func (h *Heap) AddIfNotPresent(obj any) error { return h.add(false, obj) }

// Update calls Add.
func (h *Heap) Update(obj any) error { return h.Add(obj) }

func (h *Heap) add(update bool, objs ...any) error {
	keys := make([]string, len(objs))
	for i, obj := range objs {
		key, err := h.keyFunc(obj)
		if err != nil {
			return asKeyError(obj, err)
		}
		keys[i] = key
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errHeapClosed
	}
	if h.order.less == nil {
		return errNoLessFunc
	}
	for i, obj := range objs {
		h.put(keys[i], obj, update)
	}
	h.changed.Broadcast()
	return nil
}

func (h *Heap) put(key string, obj any, update bool) {
	item := h.byKey[key]
	switch {
	case item == nil:
		h.insert(&heapItem{key: key, obj: obj})
	case update:
		h.replaceObject(item, obj)
	}
}

// insert adds an item. If the LessFunc panics, the item is not added and the
// panic continues.
func (h *Heap) insert(item *heapItem) {
	placed := false
	defer func() {
		if !placed {
			h.remove(item)
		}
	}()
	h.byKey[item.key] = item
	heap.Push(&h.order, item)
	placed = true
}

// replaceObject replaces the object of an item. If the LessFunc panics, the
// item keeps its object and the panic continues.
func (h *Heap) replaceObject(item *heapItem, obj any) {
	before, placed := item.obj, false
	defer func() {
		if !placed {
			item.obj = before
			heap.Fix(&h.order, item.index)
		}
	}()
	item.obj = obj
	heap.Fix(&h.order, item.index)
	placed = true
}

// remove removes an item without comparing its object.
func (h *Heap) remove(item *heapItem) {
	delete(h.byKey, item.key)
	heap.Remove(&h.order, item.index)
}

// Delete removes the object with obj's key. It returns an error if there is
// none.
func (h *Heap) Delete(obj any) error {
	key, err := h.keyFunc(obj)
	if err != nil {
		return asKeyError(obj, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	item := h.byKey[key]
	if item == nil {
		return fmt.Errorf("cache: deleting %q from a heap: object not found", key)
	}
	h.remove(item)
	return nil
}

// Pop waits for an object, and removes and returns the first one. When the heap
// is closed, Pop returns the remaining objects and then an error.
func (h *Heap) Pop() (any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.order.items) == 0 {
		if h.closed {
			return nil, errHeapClosed
		}
		h.changed.Wait()
	}
	item := heap.Pop(&h.order).(*heapItem)
	delete(h.byKey, item.key)
	return item.obj, nil
}

// List returns all objects, in no particular order.
func (h *Heap) List() []any {
	h.mu.RLock()
	defer h.mu.RUnlock()
	list := make([]any, len(h.order.items))
	for i, item := range h.order.items {
		list[i] = item.obj
	}
	return list
}

// ListKeys returns the keys of all objects, in no particular order.
func (h *Heap) ListKeys() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	keys := make([]string, len(h.order.items))
	for i, item := range h.order.items {
		keys[i] = item.key
	}
	return keys
}

// Get returns the object with the key of obj.
func (h *Heap) Get(obj any) (any, bool, error) {
	key, err := h.keyFunc(obj)
	if err != nil {
		return nil, false, asKeyError(obj, err)
	}
	return h.GetByKey(key)
}

// GetByKey returns the object with that key.
func (h *Heap) GetByKey(key string) (any, bool, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	item := h.byKey[key]
	if item == nil {
		return nil, false, nil
	}
	return item.obj, true, nil
}

// Close closes the heap: adding returns an error, and Pop returns the remaining
// objects.
func (h *Heap) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.changed.Broadcast()
}

// IsClosed reports whether Close was called.
func (h *Heap) IsClosed() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.closed
}
