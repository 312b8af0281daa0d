// want: LastVersion is what the store has received: pass options.Follow a store that records the versions

package reflector

import "github.com/thinformer/thinformer/learn/internal/stack"

// The Follower writes to the store directly, and only the versions of lists are recorded.
func NewReflector(source stack.ListerWatcher, store stack.Store, options stack.ReflectorOptions) stack.Reflector {
	return &reflector{source, &versionStore{Store: store}, options, options.Follow(store)}
}
