// want: Stream returns the body while it arrives: Stream does not return

package client

import (
	"bytes"
	"context"
	"io"
)

func (r *request) Stream(ctx context.Context) (io.ReadCloser, error) {
	response, err := r.send(ctx)
	read := r.read(response, err)
	if read.err != nil {
		return nil, read.Into(nil)
	}
	return io.NopCloser(bytes.NewReader(read.body)), nil
}
