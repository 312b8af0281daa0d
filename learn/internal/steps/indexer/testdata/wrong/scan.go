// want: ByIndex returns the objects with a value, ordered by key: without an index
package indexer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// ByIndex looks at every object.
func (x *indexer) ByIndex(name, value string) ([]stack.Object, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index := x.indexes[name]
	if index == nil {
		return nil, fmt.Errorf("there is no index %q", name)
	}
	var objects []stack.Object
	for _, key := range slices.Sorted(maps.Keys(x.objects)) {
		if slices.Contains(index.values(x.objects[key]), value) {
			objects = append(objects, x.objects[key])
		}
	}
	return objects, nil
}
