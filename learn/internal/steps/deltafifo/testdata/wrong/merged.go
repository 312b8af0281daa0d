// want: delete and create of one name stay two changes: want shop/a: Deleted a@2, Added a@3
package deltafifo

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// enqueue makes one Updated of a Deleted and an Added.
func (q *queue) enqueue(kind deltafifo.DeltaType, object stack.Object, unknown bool) {
	key := stack.Key(object)
	if known := q.knownAt(key); known == nil && kind == deltafifo.Deleted {
		return
	}
	if len(q.items[key]) == 0 {
		q.keys = append(q.keys, key)
	}
	deltas := q.items[key]
	if last := len(deltas) - 1; kind == deltafifo.Added && last >= 0 && deltas[last].Type == deltafifo.Deleted {
		kind, deltas = deltafifo.Updated, deltas[:last]
	}
	q.items[key] = append(deltas, stack.Delta{Type: kind, Object: object, Key: key, FinalStateUnknown: unknown})
}
