// want: a handler that blocks delays nothing else: The loop must not wait for a handler
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// distribute calls each handler.
func (i *informer) distribute(call func(stack.Handler)) {
	for _, l := range i.listeners {
		call(l.handler)
	}
}
