// Package client is the reference of step 2: RESTClient and Request.
package client

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	jsoniter "github.com/json-iterator/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// json has the configuration with which client-go used json-iterator.
var json = jsoniter.Config{EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true, CaseSensitive: true}.Froze()

// NewClient returns a client for the resources of core/v1 of a server.
func NewClient(base *url.URL, transport stack.Transport) stack.Client { return client{base, transport} }

type client struct {
	base      *url.URL
	transport stack.Transport
}

func (c client) Verb(method string) stack.Request { return &request{client: c, method: method} }

type request struct {
	client                                   client
	method, scope, namespace, resource, name string
	query                                    url.Values
	body                                     []byte
	err                                      error // the first one of a method
}

// set sets a segment of the path.
func (r *request) set(segment *string, what, value string) stack.Request {
	if *segment != "" {
		r.err = cmp.Or(r.err, fmt.Errorf("the %s is already %q, and cannot be set to %q", what, *segment, value))
	} else if value == "" || value == "." || value == ".." || strings.ContainsAny(value, "/%") {
		r.err = cmp.Or(r.err, fmt.Errorf("the %s %q is not a segment of a path", what, value))
	} else {
		*segment = value
	}
	return r
}

func (r *request) Resource(resource string) stack.Request {
	return r.set(&r.resource, "resource", resource)
}

func (r *request) Name(name string) stack.Request { return r.set(&r.name, "name", name) }

func (r *request) Namespace(namespace string) stack.Request {
	if namespace == "" {
		return r // all namespaces
	}
	r.scope = "namespaces"
	return r.set(&r.namespace, "namespace", namespace)
}

func (r *request) VersionedParams(options *metav1.ListOptions) stack.Request {
	if options != nil {
		query, err := metav1.ParameterCodec.EncodeParameters(options, schema.GroupVersion{Version: "v1"})
		r.query, r.err = query, cmp.Or(r.err, err)
	}
	return r
}

func (r *request) Body(object any) stack.Request {
	body, err := json.Marshal(object)
	r.body, r.err = body, cmp.Or(r.err, err)
	return r
}

// url returns the URL of the request, with a path that is not escaped yet.
func (r *request) url() *url.URL {
	full := path.Join("/api/v1", r.scope, r.namespace, r.resource, r.name) // those that are not empty
	return &url.URL{Scheme: r.client.base.Scheme, Host: r.client.base.Host, Path: full, RawQuery: r.query.Encode()}
}

// send returns a response with any status.
func (r *request) send(ctx context.Context) (*http.Response, error) {
	if r.resource == "" {
		r.err = cmp.Or(r.err, fmt.Errorf("the request has no resource"))
	}
	if r.err != nil {
		return nil, r.err
	}
	request, err := http.NewRequestWithContext(ctx, r.method, r.url().String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}
	return r.client.transport.RoundTrip(request)
}

func (r *request) Stream(ctx context.Context) (io.ReadCloser, error) {
	response, err := r.send(ctx)
	if err == nil && response.StatusCode/100 == 2 {
		return response.Body, nil
	}
	return nil, r.read(response, err).Into(nil)
}

func (r *request) Do(ctx context.Context) stack.Result { return r.read(r.send(ctx)) }

// read reads a whole response. A failure is a Status that says so, with any code, or a
// code other than 2xx, with any content.
func (r *request) read(response *http.Response, err error) result {
	if err != nil {
		return result{r, nil, err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	var status metav1.Status
	switch code := response.StatusCode; {
	case err != nil:
		err = fmt.Errorf("read the response after %d bytes: %w", len(body), err)
	case json.Unmarshal(body, &status) == nil && status.Kind == "Status" && status.Status == metav1.StatusFailure:
		err = &apierrors.StatusError{ErrStatus: status}
	case code/100 != 2:
		err = apierrors.NewGenericServerResponse(code, r.method, schema.ParseGroupResource(r.resource), r.name, string(body), 0, true)
	}
	return result{r, body, err}
}

type result struct {
	request *request
	body    []byte
	err     error
}

func (r result) Into(object any) error {
	if r.err == nil && object != nil {
		r.err = json.Unmarshal(r.body, object)
	}
	if r.err != nil {
		return fmt.Errorf("%s %s: %w", r.request.method, r.request.url().EscapedPath(), r.err)
	}
	return nil
}
