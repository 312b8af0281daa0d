package byresource

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/features"
	"k8s.io/client-go/rest"
)

// Request is a request for a list or a watch whose response this module decodes.
type Request struct {
	*rest.Request
	// Generated is set for a request of a generated client: the TimeoutSeconds of the options
	// limit it, and it accepts what the client is configured to accept.
	Generated bool
	// Err is the result of a request that cannot be sent.
	Err error

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

// SetHeader sets a header. The Accept header of a generated client's request stays as
// configured, because a transport of the program may read the bodies; its default for a type
// with protobuf is protobuf. This module reads no CBOR, which a feature gate of client-go
// allows.
func (r *Request) SetHeader(key string, values ...string) *Request {
	switch {
	case !r.Generated || key != "Accept" || features.FeatureGates().Enabled(features.ClientsAllowCBOR):
		r.Request.SetHeader(key, values...)
	case slices.ContainsFunc(values, func(value string) bool { return strings.HasPrefix(value, runtime.ContentTypeProtobuf) }):
		r.UseProtobufAsDefault()
	}
	return r
}

// MaxRetries limits the retries within the request.
func (r *Request) MaxRetries(retries int) *Request {
	r.Request.MaxRetries(retries)
	return r
}

// VersionedParams sets the parameters, and the time limit among them. The server ends a
// watch at its limit.
func (r *Request) VersionedParams(parameters runtime.Object, codec runtime.ParameterCodec) *Request {
	r.Request.VersionedParams(parameters, codec)
	if options, ok := parameters.(*metav1.ListOptions); ok && r.Generated && options.TimeoutSeconds != nil {
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
	switch {
	case r.Err != nil:
		return nil, r.Err
	case r.list <= 0:
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
