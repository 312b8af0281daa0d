// want: objects and indexes change together: Get, during an Apply, finds
package indexer

import (
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Get has no lock.
func (x *indexer) Get(key string) (stack.Object, bool) {
	object, found := x.objects[key]
	return object, found
}
