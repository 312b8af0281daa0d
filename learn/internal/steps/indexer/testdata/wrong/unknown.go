// want: an unknown index and a repeated name are errors: a misspelled name looks like an empty result
package indexer

import (
	"maps"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// ByIndex finds nothing in an unknown index.
func (x *indexer) ByIndex(name, value string) ([]stack.Object, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index := x.indexes[name]
	if index == nil {
		return nil, nil
	}
	var objects []stack.Object
	for _, key := range slices.Sorted(maps.Keys(index.keys[value])) {
		objects = append(objects, x.objects[key])
	}
	return objects, nil
}
