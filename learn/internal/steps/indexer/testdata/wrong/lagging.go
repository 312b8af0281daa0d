// want: objects and indexes change together: objects and indexes must change at the same moment
package indexer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// index has the objects themselves, so that it can be changed after the objects.
type index struct {
	values func(stack.Object) []string
	keys   map[string]map[string]bool
	found  map[string]stack.Object
}

// Apply changes all objects, and then all indexes, with two locks.
func (x *indexer) Apply(set []stack.Object, remove []string) {
	x.mu.Lock()
	old := maps.Clone(x.objects)
	for _, object := range set {
		x.objects[stack.Key(object)] = object
	}
	for _, key := range remove {
		delete(x.objects, key)
	}
	x.mu.Unlock()

	x.mu.Lock()
	defer x.mu.Unlock()
	for _, index := range x.indexes {
		for key, object := range old {
			index.remove(key, object)
		}
		index.found = maps.Clone(x.objects)
		for key, object := range x.objects {
			index.add(key, object)
		}
	}
}

func (x *indexer) AddIndex(name string, values func(stack.Object) []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.indexes[name] != nil {
		return fmt.Errorf("the index %q exists already", name)
	}
	added := &index{values: values, keys: map[string]map[string]bool{}, found: maps.Clone(x.objects)}
	for key, object := range x.objects {
		added.add(key, object)
	}
	x.indexes[name] = added
	return nil
}

func (x *indexer) ByIndex(name, value string) ([]stack.Object, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index := x.indexes[name]
	if index == nil {
		return nil, fmt.Errorf("there is no index %q", name)
	}
	var objects []stack.Object
	for _, key := range slices.Sorted(maps.Keys(index.keys[value])) {
		objects = append(objects, index.found[key])
	}
	return objects, nil
}
