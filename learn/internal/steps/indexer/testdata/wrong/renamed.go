// want: an unknown index and a repeated name are errors: which failed, and an Apply
package indexer

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// AddIndex replaces the function of an index with the same name.
func (x *indexer) AddIndex(name string, values func(stack.Object) []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.indexes[name] != nil {
		x.indexes[name].values = values
		return fmt.Errorf("the index %q exists already", name)
	}
	added := &index{values: values, keys: map[string]map[string]bool{}}
	for key, object := range x.objects {
		added.add(key, object)
	}
	x.indexes[name] = added
	return nil
}
