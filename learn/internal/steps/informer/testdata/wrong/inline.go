// want: AddEventHandler does not wait for the handler: it must not call the handler itself
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// AddEventHandler calls the handler for the present objects.
func (i *informer) AddEventHandler(handler stack.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return
	}
	added := &listener{handler: handler}
	for _, object := range i.indexer.List() {
		handler.OnAdd(object, true)
	}
	i.listeners = append(i.listeners, added)
	if i.running {
		i.goroutines.Go(func() { i.deliver(added) })
	}
}
