// want: the indexer decides between OnAdd and OnUpdate: want add a@1
package informer

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// handleDeltas decides by the type of the change.
func (i *informer) handleDeltas(key string, deltas []stack.Delta, initial bool) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, delta := range deltas {
		old, found := i.indexer.Get(key)
		object, isDelete := delta.Object, delta.Type == deltafifo.Deleted
		if isDelete {
			i.indexer.Apply(nil, []string{key})
		} else {
			i.indexer.Apply([]stack.Object{object}, nil)
		}
		switch {
		case isDelete && found:
			i.distribute(func(h stack.Handler) { h.OnDelete(object, delta.FinalStateUnknown) })
		case delta.Type == deltafifo.Updated || delta.Type == deltafifo.Replaced && found:
			i.distribute(func(h stack.Handler) { h.OnUpdate(old, object) })
		case !isDelete:
			i.distribute(func(h stack.Handler) { h.OnAdd(object, initial) })
		}
	}
	return nil
}
