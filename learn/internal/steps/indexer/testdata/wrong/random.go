// want: ByIndex returns the objects with a value, ordered by key: want shop/a@1 shop/b@1
package indexer

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// ByIndex returns the objects in the order of a map.
func (x *indexer) ByIndex(name, value string) ([]stack.Object, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index := x.indexes[name]
	if index == nil {
		return nil, fmt.Errorf("there is no index %q", name)
	}
	var objects []stack.Object
	for key := range index.keys[value] {
		objects = append(objects, x.objects[key])
	}
	return objects, nil
}
