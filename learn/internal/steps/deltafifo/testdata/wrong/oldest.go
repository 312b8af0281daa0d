// want: a delete of an unknown object adds nothing: want shop/a: Added a@6, Deleted a@7
package deltafifo

import (
	"slices"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// knownAt returns the object of the oldest change.
func (q *queue) knownAt(key string) stack.Object {
	deltas := slices.Concat(q.busy[key], q.items[key])
	if len(deltas) == 0 {
		object, _ := q.known.Get(key)
		return object
	} else if oldest := deltas[0]; oldest.Type != deltafifo.Deleted {
		return oldest.Object
	}
	return nil
}
