// want: Run waits for reflect and for running handlers: which was added after Run had begun
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// AddEventHandler starts a goroutine that Run does not wait for.
func (i *informer) AddEventHandler(handler stack.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return
	}
	added := &listener{handler: handler}
	for _, object := range i.indexer.List() {
		added.pending = append(added.pending, func() { handler.OnAdd(object, true) })
	}
	i.listeners = append(i.listeners, added)
	if i.running {
		go i.deliver(added)
	}
}
