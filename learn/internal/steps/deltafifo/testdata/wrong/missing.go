// want: Replace deletes the known objects that are missing: shop/d: Added d@2, Deleted d@2
package deltafifo

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// replace deletes only the missing objects that the store has, not those in the queue.
func (q *queue) replace(objects []stack.Object, listed map[string]bool) {
	for _, object := range objects {
		q.enqueue(deltafifo.Replaced, object, false)
	}
	for _, object := range q.known.List() {
		if known := q.knownAt(stack.Key(object)); known != nil && !listed[stack.Key(object)] {
			q.enqueue(deltafifo.Deleted, known, true)
		}
	}
	if q.initial == nil {
		q.initial = map[string]bool{}
		for _, key := range q.keys {
			q.initial[key] = true
		}
	}
}
