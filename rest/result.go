package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/wire"
)

// Result is the response to a request, or its error.
type Result struct {
	operation   string // description for errors; see describeResponse
	body        []byte
	contentType string
	status      int
	warnings    []Warning
	memory      int64 // bound for an object; 0: the default
	err         error
}

// Do sends the request and reads the whole response.
func (r *Request) Do(ctx context.Context) Result {
	result := r.do(ctx)
	if result.err == nil {
		result.err = r.checkStatus(ctx, result)
	}
	return result
}

// DoRaw sends the request and returns the body of the response unchanged, such as a
// log or a proxied page. For an error response it returns the first MiB of the body
// with the error.
func (r *Request) DoRaw(ctx context.Context) ([]byte, error) {
	result := r.do(ctx)
	if result.err == nil {
		_ = r.checkStatus(ctx, result)
	}
	return result.body, result.err
}

// checkStatus returns the failure Status in a response with a success code, if any.
// Otherwise it reports a write to the traces.
func (r *Request) checkStatus(ctx context.Context, result Result) error {
	failure := r.failureStatus(result.contentType, result.body, result.status)
	if failure == nil {
		r.reportWrite(ctx, result.status, func() storedObject { return parseStored(result.contentType, result.body) })
	}
	return failure
}

// do sends the request and reads the response, which may still contain a failure.
// It reports a write to the traces if its response cannot be read; the caller
// reports all others, once, after it has checked the response.
func (r *Request) do(ctx context.Context) Result {
	result := Result{memory: r.client.config.Decode.MaxObjectMemory}
	response, err := r.open(ctx, false)
	if response != nil {
		result.status = response.StatusCode
		result.contentType = response.Header.Get("Content-Type")
		result.warnings = warningsOf(response.Header)
	}
	if err != nil {
		if result.err = err; response != nil {
			result.body, _ = io.ReadAll(response.Body)
		}
		return result
	}
	defer response.Body.Close()
	result.operation = r.describeResponse(result.status)
	if result.body, err = r.readAll(response); err != nil {
		result.err = fmt.Errorf("%s: %w", result.operation, err)
		r.reportWrite(ctx, result.status, func() storedObject { return storedObject{} })
	}
	return result
}

// Stream sends the request and returns the body of the response as it arrives, such
// as a log that is followed. The caller closes it.
func (r *Request) Stream(ctx context.Context) (io.ReadCloser, error) {
	response, err := r.open(ctx, true)
	if err != nil {
		return nil, err
	}
	r.reportWrite(ctx, response.StatusCode, func() storedObject { return storedObject{} })
	return response.Body, nil
}

// Watch sends the request as a watch and returns its events as unstructured
// objects; a View returns typed events. It adds the parameter watch=true; the
// caller sets selectors and the version to start at. An error means that there is
// no stream.
func (r *Request) Watch(ctx context.Context) (*Watch[*unstructured.Unstructured], error) {
	info := ResourceInfo{GroupVersionResource: r.version.WithResource(r.target.resource)}
	codec, err := newCodec(reflect.TypeFor[unstructured.Unstructured](), info, r.client.config.Decode, false, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.describe(), err)
	}
	request := *r
	request.params, request.header = maps.Clone(r.params), r.header.Clone()
	if request.params == nil {
		request.params = url.Values{}
	}
	request.params.Set("watch", "true")
	if r.method != http.MethodGet {
		request.failf("Watch", "a watch is a GET, and this is a %s", r.method)
	}
	return openStream[*unstructured.Unstructured](ctx, &request, codec)
}

// Error returns the error of the request: an *errors.StatusError if the server
// returned one.
func (r Result) Error() error { return r.err }

// Raw returns the body unchanged. For an error response it returns the first MiB of
// the body with the error.
func (r Result) Raw() ([]byte, error) { return r.body, r.err }

// StatusCode stores the HTTP status in code, 0 if the last attempt got no response.
// The code of a failure Status is in the error.
func (r Result) StatusCode(code *int) Result {
	*code = r.status
	return r
}

// ContentType stores the response's content type.
func (r Result) ContentType(contentType *string) Result {
	*contentType = r.contentType
	return r
}

// WasCreated stores whether the server has created the object, as a Put or an apply
// may.
func (r Result) WasCreated(created *bool) Result {
	*created = r.status == http.StatusCreated
	return r
}

// Warnings returns the warnings in the response. The handler has received them
// already.
func (r Result) Warnings() []Warning { return r.warnings }

// Into decodes the response into the value that target points to, of any type: from
// JSON, or from protobuf if the response is protobuf and the type declares
// Unmarshal. The previous contents of a struct are replaced; they remain if there
// is an error. The response counts as one object for DecodeOptions.MaxObjectMemory.
// For a list, the bound is at least sixteen times its encoded size.
func (r Result) Into(target any) error {
	if r.err != nil {
		return r.err
	}
	if value := reflect.ValueOf(target); value.Kind() != reflect.Pointer || value.IsNil() {
		return fmt.Errorf("%s: decode the response: %T is not a non-nil pointer", r.operation, target)
	}
	memory := jsonobj.MemoryOf(r.memory)
	if isList(target) {
		memory = max(memory, listGrowth*int64(len(r.body)))
	}
	if err := wire.Decode(r.contentType, r.body, target, memory); err != nil {
		return fmt.Errorf("%s: decode the response into %T: %w", r.operation, target, err)
	}
	return nil
}

// listGrowth is the permitted memory of a list as a multiple of its encoded size.
// Lists of real objects take a few times their size; a fixed bound would reject
// large ones.
const listGrowth = 16

// isList reports whether the target is a list of objects. Unstructured content,
// which may be one, is also an object.
func isList(target any) bool {
	_, object := target.(metav1.Object)
	_, list := target.(metav1.ListInterface)
	return list && !object
}

// Get decodes the response into an unstructured object.
func (r Result) Get() (*unstructured.Unstructured, error) {
	var object map[string]any
	if err := r.Into(&object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New(r.operation + ": the response is null, not an object")
	}
	return &unstructured.Unstructured{Object: object}, nil
}
