// Package indexer is the reference of step 8: objects by key and by index value.
package indexer

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

type indexer struct {
	// mu is held for a whole call, so that a reader sees all changes of an Apply or none.
	mu      sync.RWMutex
	objects map[string]stack.Object
	indexes map[string]*index
}

type index struct {
	values func(stack.Object) []string
	// keys has the keys of the objects with a value. A value without objects is removed.
	keys map[string]map[string]bool
}

// NewIndexer returns an empty Indexer.
func NewIndexer() stack.Indexer {
	return &indexer{objects: map[string]stack.Object{}, indexes: map[string]*index{}}
}

func (x *indexer) Apply(set []stack.Object, remove []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, object := range set {
		x.replace(stack.Key(object), object)
	}
	for _, key := range remove {
		x.replace(key, nil)
	}
}

// replace stores an object, or removes it if object is nil. The entries of the object
// before it follow from that object: an object is never modified.
func (x *indexer) replace(key string, object stack.Object) {
	old, found := x.objects[key]
	for _, index := range x.indexes {
		if found {
			index.remove(key, old)
		}
		if object != nil {
			index.add(key, object)
		}
	}
	if object == nil {
		delete(x.objects, key)
	} else {
		x.objects[key] = object
	}
}

func (i *index) add(key string, object stack.Object) {
	for _, value := range i.values(object) {
		if i.keys[value] == nil {
			i.keys[value] = map[string]bool{}
		}
		i.keys[value][key] = true
	}
}

func (i *index) remove(key string, object stack.Object) {
	for _, value := range i.values(object) {
		delete(i.keys[value], key)
		if len(i.keys[value]) == 0 {
			delete(i.keys, value)
		}
	}
}

func (x *indexer) AddIndex(name string, values func(stack.Object) []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.indexes[name] != nil {
		return fmt.Errorf("the index %q exists already", name)
	}
	added := &index{values: values, keys: map[string]map[string]bool{}}
	for key, object := range x.objects {
		added.add(key, object)
	}
	x.indexes[name] = added
	return nil
}

func (x *indexer) Get(key string) (stack.Object, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	object, found := x.objects[key]
	return object, found
}

func (x *indexer) List() []stack.Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Collect(maps.Values(x.objects))
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
		objects = append(objects, x.objects[key])
	}
	return objects, nil
}
