// want: AddIndex includes the objects that are stored already: want shop/a@1
package indexer

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// AddIndex adds an index only for later changes.
func (x *indexer) AddIndex(name string, values func(stack.Object) []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.indexes[name] != nil {
		return fmt.Errorf("the index %q exists already", name)
	}
	x.indexes[name] = &index{values: values, keys: map[string]map[string]bool{}}
	return nil
}
