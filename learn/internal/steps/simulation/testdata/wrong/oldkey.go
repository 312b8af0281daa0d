// want: an incomplete call is found: an update has the same key before and after
package simulation

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// complete does not compare the keys of an update.
func complete(call stack.Call) (stack.Object, error) {
	needsOld, needsNew := call.Type != "add", call.Type != "delete"
	switch {
	case call.Type != "add" && call.Type != "update" && call.Type != "delete":
		return nil, fmt.Errorf("a call of the unknown type %q, of %s", call.Type, keyOf(call))
	case needsOld != (call.Old != nil), needsNew != (call.New != nil):
		return nil, fmt.Errorf("%s of %s lacks an object", call.Type, keyOf(call))
	case needsNew:
		return call.New, nil
	}
	return call.Old, nil
}
