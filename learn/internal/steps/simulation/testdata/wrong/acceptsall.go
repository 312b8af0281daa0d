// want: an add of a known key is found: the handler has the object already
package simulation

import "github.com/thinformer/thinformer/learn/internal/stack"

// Observe records the calls and checks nothing.
func (c *checker) Observe(call stack.Call) error {
	if call.New == nil {
		delete(c.objects, stack.Key(call.Old))
	} else {
		c.objects[stack.Key(call.New)] = call.New
	}
	return nil
}
