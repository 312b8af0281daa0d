package byresource

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// Request is a request for a list or a watch whose response this module decodes. As with
// the methods of client-go's clients, a watch does not count against the rate limit.
type Request struct {
	*rest.Request
	// Limited is set if the TimeoutSeconds of the options limit the request, as those of
	// generated clients.
	Limited bool

	list time.Duration // the limit of a list; 0 is none
}

// Namespace sets the namespace.
func (r *Request) Namespace(namespace string) *Request {
	r.Request.Namespace(namespace)
	return r
}

// Resource sets the resource.
func (r *Request) Resource(resource string) *Request {
	r.Request.Resource(resource)
	return r
}

// SetHeader sets a header.
func (r *Request) SetHeader(key string, values ...string) *Request {
	r.Request.SetHeader(key, values...)
	return r
}

// MaxRetries limits the retries within the request.
func (r *Request) MaxRetries(retries int) *Request {
	r.Request.MaxRetries(retries)
	return r
}

// VersionedParams sets the parameters, and the limits that depend on them. The server ends
// a watch at its time limit.
func (r *Request) VersionedParams(parameters runtime.Object, codec runtime.ParameterCodec) *Request {
	r.Request.VersionedParams(parameters, codec)
	options, ok := parameters.(*metav1.ListOptions)
	if !ok {
		return r
	}
	if options.Watch {
		r.Throttle(nil)
	}
	if r.Limited && options.TimeoutSeconds != nil {
		limit := time.Duration(*options.TimeoutSeconds) * time.Second
		r.Request.Timeout(limit)
		if !options.Watch {
			r.list = limit
		}
	}
	return r
}

// Stream sends the request. The limit of a list includes the time to read it.
func (r *Request) Stream(ctx context.Context) (io.ReadCloser, error) {
	if r.list <= 0 {
		return r.Request.Stream(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, r.list)
	body, err := r.Request.Stream(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	return limitedBody{body, cancel}, nil
}

type limitedBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements [io.Closer].
func (b limitedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
