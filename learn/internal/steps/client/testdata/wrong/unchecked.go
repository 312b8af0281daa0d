// want: a name is one segment of the path: it would change the path

package client

import "github.com/thinformer/thinformer/learn/internal/stack"

func (r *request) set(segment *string, what, value string) stack.Request {
	*segment = value
	return r
}
