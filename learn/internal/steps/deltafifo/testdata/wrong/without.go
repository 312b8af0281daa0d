// want: another UID deletes the known object first: want shop/b: Updated b@2, Updated b@3
package deltafifo

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// enqueue takes an object without a UID for another object.
func (q *queue) enqueue(kind deltafifo.DeltaType, object stack.Object, unknown bool) {
	key := stack.Key(object)
	switch known := q.knownAt(key); {
	case known == nil && kind == deltafifo.Deleted:
		return
	case known != nil && kind != deltafifo.Deleted && known.UID != object.UID:
		q.enqueue(deltafifo.Deleted, known, true)
	}
	if len(q.items[key]) == 0 {
		q.keys = append(q.keys, key)
	}
	q.items[key] = append(q.items[key], stack.Delta{Type: kind, Object: object, Key: key, FinalStateUnknown: unknown})
}
