// want: a Replace that fails changes nothing: want nothing more
package deltafifo

import (
	"iter"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Replace queues each item as it comes.
func (q *queue) Replace(items iter.Seq2[stack.Object, error], _ func() string) error {
	listed := map[string]bool{}
	for object, err := range items {
		if err != nil {
			return err
		}
		listed[stack.Key(object)] = true
		_ = q.write(deltafifo.Replaced, object)
	}
	return q.locked(func() { q.replace(nil, listed) })
}
