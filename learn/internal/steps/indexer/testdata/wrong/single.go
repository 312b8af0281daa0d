// want: List returns all changes of an Apply or none: a reader must see all changes or none
package indexer

import "github.com/thinformer/thinformer/learn/internal/stack"

// Apply holds the lock for each object, not for the whole call.
func (x *indexer) Apply(set []stack.Object, remove []string) {
	replace := func(key string, object stack.Object) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.replace(key, object)
	}
	for _, object := range set {
		replace(stack.Key(object), object)
	}
	for _, key := range remove {
		replace(key, nil)
	}
}
