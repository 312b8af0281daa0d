package deltafifo

import (
	"reflect"

	"k8s.io/apimachinery/pkg/types"
)

// Known returns the last known state of a key: the object that the consumer's
// store will have after processing everything queued. A writer that cannot read
// the new state of an object in a list can pass this object to Replace instead:
// it is kept, and is not transformed again.
func (q *DeltaFIFO[T]) Known(key string) (obj T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot := q.keys.find(key)
	if obj, ok = q.knownAt(&slot); !ok {
		var none T
		return none, false
	}
	return obj, true
}

// knownAt returns the last known state of a key: its newest queued delta, else
// its newest delta in progress, else the object in the consumer's store. After a
// Deleted the key is unknown, whatever the store still has.
func (q *DeltaFIFO[T]) knownAt(slot *slot[T]) (obj T, ok bool) {
	if slot.state != nil {
		n := slot.state.newest()
		return n.object, n.kind != Deleted
	}
	if q.known == nil {
		return obj, false
	}
	return q.known.Get(slot.key)
}

// tombstoneAt returns the newest queued delta of a key if it is a Deleted whose
// final state is unknown and has not arrived since, else nil.
func (q *DeltaFIFO[T]) tombstoneAt(slot *slot[T]) *node[T] {
	if slot.state == nil {
		return nil
	}
	if n := slot.state.last; n != nil && n.kind == Deleted && n.finalStateUnknown && n.final == nil {
		return n
	}
	return nil
}

// eachKnown calls f for every known key: first those of the consumer's store, in
// its order, then those only in the queue, in the order of arrival. f may be
// called twice for a key.
func (q *DeltaFIFO[T]) eachKnown(f func(slot *slot[T], obj T)) {
	visit := func(key string) {
		slot := q.keys.find(key)
		if obj, ok := q.knownAt(&slot); ok {
			f(&slot, obj)
		}
	}
	if q.known != nil {
		for key := range q.known.Keys() {
			visit(key)
		}
	}
	for _, d := range q.processing {
		for n := d.firstNode; n != nil; n = n.next {
			if n.state != nil {
				visit(n.state.key)
			}
		}
	}
	newest := q.seq
	for n := q.log.head; n != nil && n.seq <= newest; n = n.next {
		if n.state != nil {
			visit(n.state.key)
		}
	}
}

// Resync queues a Sync of each known object without queued deltas.
func (q *DeltaFIFO[T]) Resync() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.eachKnown(func(slot *slot[T], obj T) {
		if slot.state == nil || slot.state.first == nil {
			q.enqueue(slot, Sync, obj, false, false)
		}
	})
	return nil
}

// samePointer reports whether a and b are the same pointer.
func samePointer[T any](a, b T) bool {
	return reflect.ValueOf(a).Kind() == reflect.Pointer && any(a) == any(b)
}

// anotherUID reports whether two objects with the same key are different
// objects. An object without a UID is not different from any.
func anotherUID(a, b types.UID) bool {
	return a != "" && b != "" && a != b
}
