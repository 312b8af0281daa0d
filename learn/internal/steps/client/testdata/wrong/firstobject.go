// want: a success that is not the JSON of an object is an error: an object and more bytes

package client

import (
	"bytes"
	"fmt"
)

func (r result) Into(object any) error {
	if r.err == nil && object != nil {
		r.err = json.NewDecoder(bytes.NewReader(r.body)).Decode(object)
	}
	if r.err != nil {
		return fmt.Errorf("%s %s: %w", r.request.method, r.request.url().EscapedPath(), r.err)
	}
	return nil
}
