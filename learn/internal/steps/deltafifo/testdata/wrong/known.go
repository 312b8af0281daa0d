// want: the change that is being processed counts as known: want shop/a: Deleted a@2
package deltafifo

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// knownAt forgets the changes that are being processed.
func (q *queue) knownAt(key string) stack.Object {
	deltas := q.items[key]
	if len(deltas) == 0 {
		object, _ := q.known.Get(key)
		return object
	} else if newest := deltas[len(deltas)-1]; newest.Type != deltafifo.Deleted {
		return newest.Object
	}
	return nil
}
