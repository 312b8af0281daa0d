// want: a late handler receives every object and no change twice: an object or a change was lost
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// AddEventHandler reads the present objects before it takes the lock: a change between
// the two is lost.
func (i *informer) AddEventHandler(handler stack.Handler) {
	added := &listener{handler: handler}
	for _, object := range i.indexer.List() {
		added.pending = append(added.pending, func() { handler.OnAdd(object, true) })
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return
	}
	i.listeners = append(i.listeners, added)
	if i.running {
		i.goroutines.Go(func() { i.deliver(added) })
	}
}
