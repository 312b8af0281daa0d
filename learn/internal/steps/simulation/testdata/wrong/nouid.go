// want: an object with another uid is found: the uid is that of another object
package simulation

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Observe identifies an object by its key alone.
func (c *checker) Observe(call stack.Call) error {
	object, err := complete(call)
	if err != nil {
		return err
	}
	key := stack.Key(object)
	last, known := c.objects[key]
	switch {
	case known != (call.Type != "add"):
		return fmt.Errorf("%s of %s", call.Type, key)
	case call.Type == "update" && call.Old.ResourceVersion != last.ResourceVersion:
		return fmt.Errorf("update of %s from another version", key)
	}
	if err := c.advance(key, object.ResourceVersion); err != nil {
		return fmt.Errorf("%s of %s: %w", call.Type, key, err)
	}
	c.objects[key] = object
	if call.Type == "delete" {
		delete(c.objects, key)
	}
	return nil
}
