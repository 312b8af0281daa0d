// want: LastVersion is what the store has received: has failed

package reflector

import "github.com/thinformer/thinformer/learn/internal/stack"

// The version is recorded even if the store has returned an error.
func (s *versionStore) record(store func(stack.Object) error, object stack.Object) error {
	defer s.last.Store(object.ResourceVersion)
	return store(object)
}
