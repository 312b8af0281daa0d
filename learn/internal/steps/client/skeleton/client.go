// Package client is your step 2: RESTClient and Request.
package client

import (
	"context"
	"errors"
	"io"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewClient returns a client for the resources of core/v1 of the server at base. A
// request is built by methods that keep the first error, and sent by Do or Stream. A
// response that is not a success becomes an error that package apierrors recognizes.
func NewClient(base *url.URL, transport stack.Transport) stack.Client {
	return &client{base, transport}
}

type client struct {
	base      *url.URL
	transport stack.Transport
}

func (c *client) Verb(method string) stack.Request { return &request{client: c, method: method} }

type request struct {
	client *client
	method string
}

func (r *request) Namespace(namespace string) stack.Request { return r }

func (r *request) Resource(resource string) stack.Request { return r }

func (r *request) Name(name string) stack.Request { return r }

func (r *request) VersionedParams(options *metav1.ListOptions) stack.Request { return r }

func (r *request) Body(object any) stack.Request { return r }

func (r *request) Do(ctx context.Context) stack.Result {
	return result{errors.New("step 2: Do is not written yet")}
}

func (r *request) Stream(ctx context.Context) (io.ReadCloser, error) {
	return nil, errors.New("step 2: Stream is not written yet")
}

type result struct{ err error }

func (r result) Into(object any) error { return r.err }
