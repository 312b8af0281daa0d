package factory

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// limited is a REST client whose requests have the time limit of their options, as those of
// generated clients have. Its informers share their recovery with others of the client's
// connections, whose field Client it promotes.
type limited struct{ *rest.RESTClient }

// Get starts a request.
func (l *limited) Get() *limitedRequest { return &limitedRequest{Request: l.RESTClient.Get()} }

type limitedRequest struct {
	*rest.Request
	list time.Duration // the limit of a list; 0 is none
}

// Namespace sets the namespace.
func (r *limitedRequest) Namespace(namespace string) *limitedRequest {
	r.Request.Namespace(namespace)
	return r
}

// Resource sets the resource.
func (r *limitedRequest) Resource(resource string) *limitedRequest {
	r.Request.Resource(resource)
	return r
}

// SetHeader sets a header.
func (r *limitedRequest) SetHeader(key string, values ...string) *limitedRequest {
	r.Request.SetHeader(key, values...)
	return r
}

// MaxRetries limits the retries within the request.
func (r *limitedRequest) MaxRetries(retries int) *limitedRequest {
	r.Request.MaxRetries(retries)
	return r
}

// VersionedParams sets the parameters, and the time limit among them. The server ends a
// watch at its limit.
func (r *limitedRequest) VersionedParams(parameters runtime.Object, codec runtime.ParameterCodec) *limitedRequest {
	r.Request.VersionedParams(parameters, codec)
	if options, ok := parameters.(*metav1.ListOptions); ok && options.TimeoutSeconds != nil {
		limit := time.Duration(*options.TimeoutSeconds) * time.Second
		r.Request.Timeout(limit)
		if !options.Watch {
			r.list = limit
		}
	}
	return r
}

// Stream sends the request. The limit of a list includes the time to read it.
func (r *limitedRequest) Stream(ctx context.Context) (io.ReadCloser, error) {
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
