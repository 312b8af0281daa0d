// want: another UID deletes the known object first: want shop/a: Updated a@2, Deleted a@2 (final state unknown), Added a@5
package deltafifo

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// enqueue does not compare the UID.
func (q *queue) enqueue(kind deltafifo.DeltaType, object stack.Object, unknown bool) {
	key := stack.Key(object)
	if known := q.knownAt(key); known == nil && kind == deltafifo.Deleted {
		return
	}
	if len(q.items[key]) == 0 {
		q.keys = append(q.keys, key)
	}
	q.items[key] = append(q.items[key], stack.Delta{Type: kind, Object: object, Key: key, FinalStateUnknown: unknown})
}
