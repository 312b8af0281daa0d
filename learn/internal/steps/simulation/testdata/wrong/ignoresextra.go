// want: Compare finds each difference: the handler has shop/b, which the server does not have
package simulation

import (
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Compare does not look for objects that the server does not have.
func (c *checker) Compare(objects []stack.Object) error {
	for _, object := range objects {
		key := stack.Key(object)
		last, known := c.objects[key]
		if !known || last.UID != object.UID || last.ResourceVersion != object.ResourceVersion {
			return fmt.Errorf("%s differs", key)
		}
	}
	return nil
}
