// want: keys come in the order of their oldest change: the key with the oldest change
package deltafifo

import (
	"slices"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// enqueue moves the key to the end of the queue with each change.
func (q *queue) enqueue(kind deltafifo.DeltaType, object stack.Object, unknown bool) {
	key := stack.Key(object)
	switch known := q.knownAt(key); {
	case known == nil && kind == deltafifo.Deleted:
		return
	case known != nil && kind != deltafifo.Deleted && known.UID != object.UID:
		q.enqueue(deltafifo.Deleted, known, true)
	}
	q.keys = slices.DeleteFunc(q.keys, func(other string) bool { return other == key })
	q.keys = append(q.keys, key)
	q.items[key] = append(q.items[key], stack.Delta{Type: kind, Object: object, Key: key, FinalStateUnknown: unknown})
}
