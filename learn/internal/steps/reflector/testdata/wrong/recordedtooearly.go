// want: LastVersion is what the store has received: the call has not returned

package reflector

import (
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The version is recorded before the store has the object.
func (s *versionStore) record(store func(stack.Object) error, object stack.Object) error {
	s.last.Store(object.ResourceVersion)
	return store(object)
}
