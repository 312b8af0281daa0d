// want: objects and indexes change together: Get
package indexer

import (
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Get has no lock. The check finds it, or the runtime: both name Get.
func (x *indexer) Get(key string) (stack.Object, bool) {
	object, found := x.objects[key]
	return object, found
}
