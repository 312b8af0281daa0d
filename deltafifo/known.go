package deltafifo

import (
	"reflect"

	"k8s.io/apimachinery/pkg/types"
)

// Known returns the last state of a key, as the rule of what is known has it:
// the object that the consumer's store will have when it has processed what is
// queued. A writer who cannot read a new state of an object, in a list, can hand
// Replace this one in its place: it stays, and is not transformed again.
func (q *DeltaFIFO[T]) Known(key string) (obj T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := q.keys.find(key)
	if obj, ok = q.knownAt(&at); !ok {
		var none T
		return none, false
	}
	return obj, true
}

// knownAt returns the last state of a key: its newest queued delta, else its
// newest one being processed, else the consumer's store. After a Deleted the
// key is unknown, whatever the store still says.
func (q *DeltaFIFO[T]) knownAt(at *slot[T]) (obj T, ok bool) {
	if at.state != nil {
		n := at.state.newest()
		return n.object, n.kind != Deleted
	}
	if q.known == nil {
		return obj, false
	}
	return q.known.Get(at.key)
}

// tombstoneAt returns the Deleted of unknown final state that is the newest
// queued delta of a key, or nil.
func (q *DeltaFIFO[T]) tombstoneAt(at *slot[T]) *node[T] {
	if at.state == nil {
		return nil
	}
	if n := at.state.last; n != nil && n.kind == Deleted && n.finalStateUnknown {
		return n
	}
	return nil
}

// eachKnown calls f for every known key: first those of the consumer's store,
// in its order, then those that only the queue has, in the order of arrival. f
// may be called twice for a key.
func (q *DeltaFIFO[T]) eachKnown(f func(at *slot[T], obj T)) {
	visit := func(key string) {
		at := q.keys.find(key)
		if obj, ok := q.knownAt(&at); ok {
			f(&at, obj)
		}
	}
	if q.known != nil {
		for key := range q.known.Keys() {
			visit(key)
		}
	}
	for _, h := range q.open {
		for n := h.first; n != nil; n = n.next {
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

// Resync queues a Sync of each known object whose key has nothing queued, for
// a consumer who wants to see all of them again.
func (q *DeltaFIFO[T]) Resync() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.eachKnown(func(at *slot[T], obj T) {
		if at.state == nil || at.state.first == nil {
			q.file(at, Sync, obj, false, false)
		}
	})
	return nil
}

// identical says whether two objects are one in memory.
func identical[T any](a, b T) bool {
	return reflect.ValueOf(a).Kind() == reflect.Pointer && any(a) == any(b)
}

// anotherUID is the rule by which two objects of one key are told apart. An
// object without a UID is not told apart from any.
func anotherUID(a, b types.UID) bool {
	return a != "" && b != "" && a != b
}
