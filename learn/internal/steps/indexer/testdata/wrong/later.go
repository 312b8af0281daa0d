// want: ByIndex returns all changes of an Apply or none: objects and indexes must change at the same moment
package indexer

import (
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Apply changes the objects, and after that, with the lock taken again, the indexes.
func (x *indexer) Apply(set []stack.Object, remove []string) {
	x.mu.Lock()
	for _, object := range set {
		x.objects[stack.Key(object)] = object
	}
	for _, key := range remove {
		delete(x.objects, key)
	}
	x.mu.Unlock()

	indexes := map[string]*index{}
	x.mu.RLock()
	for name, before := range x.indexes {
		indexes[name] = &index{values: before.values, keys: map[string]map[string]bool{}}
		for key, object := range x.objects {
			indexes[name].add(key, object)
		}
	}
	x.mu.RUnlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.indexes = indexes
}
