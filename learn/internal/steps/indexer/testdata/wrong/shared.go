// want: returned slices belong to the caller: a caller of List has overwritten its slice
package indexer

import (
	"maps"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// list is what List returned last, until the next Apply.
var list = map[*indexer][]stack.Object{}

func (x *indexer) List() []stack.Object {
	x.mu.Lock()
	defer x.mu.Unlock()
	if list[x] == nil {
		list[x] = slices.Collect(maps.Values(x.objects))
	}
	return list[x]
}

func (x *indexer) Apply(set []stack.Object, remove []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(list, x)
	for _, object := range set {
		x.replace(stack.Key(object), object)
	}
	for _, key := range remove {
		x.replace(key, nil)
	}
}
