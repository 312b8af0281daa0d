// want: an object that changes leaves its old values: ByIndex("byNode", "node-1") returns
package indexer

import "github.com/thinformer/thinformer/learn/internal/stack"

// replace does not remove the entries of the object before.
func (x *indexer) replace(key string, object stack.Object) {
	if object == nil {
		for _, index := range x.indexes {
			index.remove(key, x.objects[key])
		}
		delete(x.objects, key)
		return
	}
	for _, index := range x.indexes {
		index.add(key, object)
	}
	x.objects[key] = object
}
