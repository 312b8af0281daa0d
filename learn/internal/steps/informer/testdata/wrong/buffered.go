// want: a handler that blocks delays nothing else: what waits for one has no limit
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// distribute waits while 1,024 calls wait for a handler, as a channel with a buffer does.
func (i *informer) distribute(call func(stack.Handler)) {
	for _, l := range i.listeners {
		for len(l.pending) >= 1024 && !i.stopped {
			i.changed.Wait()
		}
		l.pending = append(l.pending, func() { call(l.handler) })
	}
	i.changed.Broadcast()
}
