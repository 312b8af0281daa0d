// want: a late handler receives every object and no change twice: A change is received twice
package informer

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// handleDeltas takes the lock only after the indexer has the change.
func (i *informer) handleDeltas(key string, deltas []stack.Delta, initial bool) error {
	for _, delta := range deltas {
		old, found := i.indexer.Get(key)
		object, isDelete := delta.Object, delta.Type == deltafifo.Deleted
		if isDelete {
			i.indexer.Apply(nil, []string{key})
		} else {
			i.indexer.Apply([]stack.Object{object}, nil)
		}
		i.notify(old, object, found, isDelete, delta.FinalStateUnknown, initial)
	}
	return nil
}

func (i *informer) notify(old, object stack.Object, found, isDelete, unknown, initial bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case isDelete && found:
		i.distribute(func(h stack.Handler) { h.OnDelete(object, unknown) })
	case !isDelete && found:
		i.distribute(func(h stack.Handler) { h.OnUpdate(old, object) })
	case !isDelete:
		i.distribute(func(h stack.Handler) { h.OnAdd(object, initial) })
	}
}
