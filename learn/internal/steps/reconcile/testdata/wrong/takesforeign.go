// want: an object that is not a page is left alone: with an object docs-page without the label course/page
package reconcile

import "github.com/thinformer/thinformer/learn/internal/stack"

// belongs takes every object with the right name for a page.
func belongs(stack.Object, string) bool { return true }
