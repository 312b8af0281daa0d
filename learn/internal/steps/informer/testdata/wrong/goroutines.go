// want: the calls of a handler come in order, one at a time: one goroutine must make all calls of a handler
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// distribute starts a goroutine for each call.
func (i *informer) distribute(call func(stack.Handler)) {
	for _, l := range i.listeners {
		i.goroutines.Go(func() { call(l.handler) })
	}
}
