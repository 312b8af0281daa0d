// Package deltafifo is step 7 of the course: the DeltaFIFO.
package deltafifo

import "github.com/thinformer/thinformer/learn/internal/stack"

// NewQueue returns an empty queue, the store of a Reflector. It collects the changes of
// each key, and Pop hands out the key with the oldest change first, together with all its
// changes. A Replace becomes a change for each of its items, and a Deleted for each known
// object that is missing.
func NewQueue(known stack.KnownObjects) stack.Queue {
	return nil
}
