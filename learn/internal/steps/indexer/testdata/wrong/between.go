// want: all methods can be called at the same time: during AddIndex
package indexer

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// AddIndex builds the index with the lock of the readers, and then adds it.
func (x *indexer) AddIndex(name string, values func(stack.Object) []string) error {
	x.mu.RLock()
	if x.indexes[name] != nil {
		x.mu.RUnlock()
		return fmt.Errorf("the index %q exists already", name)
	}
	added := &index{values: values, keys: map[string]map[string]bool{}}
	for key, object := range x.objects {
		added.add(key, object)
	}
	x.mu.RUnlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.indexes[name] = added
	return nil
}
