package simulation

import (
	"maps"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// sorted returns the keys of objects in their order.
func sorted(objects map[string]stack.Object) []string {
	return slices.Sorted(maps.Keys(objects))
}
