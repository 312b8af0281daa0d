package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// Result is the answer to a request, or the error in its place.
type Result struct {
	what        string // was asked for, for errors; see whatOf
	body        []byte
	contentType string
	status      int
	warnings    []Warning
	err         error
}

// Do sends the request and reads the whole answer.
func (r *Request) Do(ctx context.Context) Result {
	result := r.do(ctx)
	if result.err == nil {
		result.err = r.settled(ctx, result)
	}
	return result
}

// DoRaw sends the request and returns the body of the answer as it is, whatever
// it may be: a log, a proxied page.
func (r *Request) DoRaw(ctx context.Context) ([]byte, error) {
	result := r.do(ctx)
	if result.err == nil {
		_ = r.settled(ctx, result)
	}
	return result.body, result.err
}

// settled is the failure that an answer carries although its status is none. If
// there is none, and it was a write, the traces are told.
func (r *Request) settled(ctx context.Context, result Result) error {
	failure := r.failureIn(result.contentType, result.body, result.status)
	if failure == nil {
		r.wrote(ctx, func() stored { return storedIn(result.contentType, result.body) })
	}
	return failure
}

// do sends the request and reads the answer, which may still turn out to be a
// failure. Of a write whose answer cannot be read the traces are told here; of
// every other its caller tells them, once, when it knows that it was one.
func (r *Request) do(ctx context.Context) Result {
	var result Result
	response, err := r.open(ctx, false)
	if response != nil {
		result.status = response.StatusCode
		result.contentType = response.Header.Get("Content-Type")
		result.warnings = warningsOf(response.Header)
	}
	if err != nil {
		result.err = err
		return result
	}
	defer response.Body.Close()
	result.what = r.whatOf(result.status)
	if result.body, err = r.readAll(response); err != nil {
		result.err = fmt.Errorf("%s: %w", result.what, err)
		r.wrote(ctx, func() stored { return stored{} })
	}
	return result
}

// Stream sends the request and returns the answer's body as it arrives: a log
// that is followed. The caller closes it.
func (r *Request) Stream(ctx context.Context) (io.ReadCloser, error) {
	response, err := r.open(ctx, true)
	if err != nil {
		return nil, err
	}
	r.wrote(ctx, func() stored { return stored{} })
	return response.Body, nil
}

// Watch sends the request as a watch and returns its events, untyped: a View has
// them in a type of the caller's. The parameter watch=true is added; selectors
// and the version to begin at are the caller's to set. An error means that
// there is no stream.
func (r *Request) Watch(ctx context.Context) (*Watch[*unstructured.Unstructured], error) {
	info := ResourceInfo{GroupVersionResource: r.version.WithResource(r.target.resource)}
	codec, err := newCodec(reflect.TypeFor[unstructured.Unstructured](), info, r.client.config.Decode, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.what(), err)
	}
	own := *r
	own.params, own.header = maps.Clone(r.params), r.header.Clone()
	if own.params == nil {
		own.params = url.Values{}
	}
	own.params.Set("watch", "true")
	if r.method != http.MethodGet {
		own.failf("Watch", "a watch is a GET, and this is a %s", r.method)
	}
	return openStream[*unstructured.Unstructured](ctx, &own, codec)
}

// Error is why there is no answer: *errors.StatusError if the server said so.
func (r Result) Error() error { return r.err }

// Raw is the body as it came.
func (r Result) Raw() ([]byte, error) { return r.body, r.err }

// StatusCode writes the HTTP status to code, 0 if the server has not answered
// the last attempt. The status in a failure's body is in its error.
func (r Result) StatusCode(code *int) Result {
	*code = r.status
	return r
}

// ContentType writes the answer's content type.
func (r Result) ContentType(contentType *string) Result {
	*contentType = r.contentType
	return r
}

// WasCreated writes whether the server has created the object: a Put or an
// apply may do either.
func (r Result) WasCreated(created *bool) Result {
	*created = r.status == http.StatusCreated
	return r
}

// Warnings that came with the answer. The handler has been given them already.
func (r Result) Warnings() []Warning { return r.warnings }

// Into decodes the answer into what target points to, which may be of any type:
// JSON, or protobuf if the answer is in protobuf and the type declares
// Unmarshal. What a struct held before is replaced, and stays if there is an
// error.
func (r Result) Into(target any) error {
	if r.err != nil {
		return r.err
	}
	if of := reflect.ValueOf(target); of.Kind() != reflect.Pointer || of.IsNil() {
		return fmt.Errorf("%s: decode the answer: %T is not a pointer to something", r.what, target)
	}
	if err := decode(r.contentType, r.body, target); err != nil {
		return fmt.Errorf("%s: decode the answer into %T: %w", r.what, target, err)
	}
	return nil
}

// Get decodes the answer into maps and slices.
func (r Result) Get() (*unstructured.Unstructured, error) {
	var object map[string]any
	if err := r.Into(&object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New(r.what + ": the answer is null, not an object")
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// decode is one whole body into what target points to.
func decode(contentType string, body []byte, target any) (err error) {
	if len(body) == 0 {
		return errors.New("it is empty")
	}
	into := reflect.TypeOf(target).Elem()
	format, err := encodingOf(contentType, into, pbobj.DeclaresUnmarshal(into))
	if err != nil {
		return withBeginning(err, bytes.NewReader(body))
	}
	defer catch(&err)
	if into.Kind() != reflect.Struct {
		return json.Unmarshal(body, target)
	}
	// A value that could be decoded in part is not left behind.
	fresh := reflect.New(into)
	if format == encodingJSON {
		err = decodeJSON(body, fresh.Interface())
	} else {
		err = decodeProtobuf(body, fresh.Interface())
	}
	if err == nil {
		reflect.ValueOf(target).Elem().Set(fresh.Elem())
	}
	return err
}

// decodeJSON decodes a body that is one object into a new value.
func decodeJSON(body []byte, fresh any) error {
	plan, err := jsonobj.PlanOf(reflect.TypeOf(fresh).Elem())
	if err != nil {
		return err
	}
	decoder := jsonobj.Decoder{KeepManagedFields: true}
	n, err := decoder.Decode(plan, body, fresh)
	switch {
	case errors.Is(err, jsonobj.ErrShort):
		return fmt.Errorf("it ends too early, at byte %d: %w", len(body), io.ErrUnexpectedEOF)
	case err != nil:
		return err
	case n+jsonobj.Space(body[n:]) < len(body):
		return fmt.Errorf("after the object, at byte %d of %d, there is more", n, len(body))
	}
	return nil
}

// decodeProtobuf decodes a body that is one object into a new value, which
// declares Unmarshal.
func decodeProtobuf(body []byte, fresh any) error {
	object, err := pbobj.Open(body)
	if err != nil {
		return err
	}
	if schema := pbobj.NewSchema(reflect.TypeOf(fresh).Elem()); schema != nil && schema.Hostile() {
		if _, err := schema.Unknown(object.Raw, defaultMaxDepth); err != nil {
			return err
		}
	}
	return unmarshal(fresh.(pbobj.Unmarshaler), object.Raw)
}
