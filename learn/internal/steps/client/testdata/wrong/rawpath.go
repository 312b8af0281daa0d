// want: a name is one segment of the path: the name must be escaped

package client

import (
	"context"
	"errors"
	"net/http"
	"path"
)

func (r *request) send(ctx context.Context) (*http.Response, error) {
	if r.resource == "" && r.err == nil {
		r.err = errors.New("the request has no resource")
	}
	if r.err != nil {
		return nil, r.err
	}
	target := r.client.base.String() + path.Join("/api/v1", r.scope, r.namespace, r.resource, r.name)
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.method, target, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	return r.client.transport.RoundTrip(request)
}
