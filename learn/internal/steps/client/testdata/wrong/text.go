// want: a Status is an error: for which errors.IsNotFound is false

package client

import "fmt"

func (r result) Into(object any) error {
	if r.err == nil && object != nil {
		r.err = json.Unmarshal(r.body, object)
	}
	if r.err != nil {
		return fmt.Errorf("%s %s: %v", r.request.method, r.request.url().EscapedPath(), r.err)
	}
	return nil
}
