// want: the first error is kept: want the first one

package client

import (
	"fmt"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func (r *request) set(segment *string, what, value string) stack.Request {
	if *segment != "" {
		r.err = fmt.Errorf("the %s is already %q, and cannot be set to %q", what, *segment, value)
	}
	if value == "" || value == "." || value == ".." || strings.ContainsAny(value, "/%") {
		r.err = fmt.Errorf("the %s %q is not a segment of a path", what, value)
	}
	*segment = value
	return r
}

func (r *request) Body(object any) stack.Request {
	body, err := json.Marshal(object)
	if err != nil {
		r.err = err
	}
	r.body = body
	return r
}
