package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/internal/wire"
)

// body is the body of a request: bytes, which can be sent again, or a stream, which
// cannot.
type body struct {
	bytes       []byte
	stream      io.Reader
	sent        bool // the stream has been attached to a request, or closed
	contentType string
	// untyped describes the kind or apiVersion that an encoded value lacks. It is ""
	// if the value has both, or if the request does not create, replace or apply an
	// object.
	missingType string
}

// repeatable reports whether the body can be sent again.
func (b *body) repeatable() bool { return b.stream == nil }

// attach sets the body of a request.
func (b *body) attach(request *http.Request) error {
	switch {
	case b.stream != nil && b.sent:
		return errors.New("the body is a stream, which can be sent once")
	case b.stream != nil:
		b.sent = true
		closer, ok := b.stream.(io.ReadCloser)
		if !ok {
			closer = io.NopCloser(b.stream)
		}
		request.Body, request.ContentLength = closer, -1
	case b.bytes != nil && len(b.bytes) == 0:
		request.Body, request.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
	case b.bytes != nil:
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.bytes)), nil }
		request.Body, _ = open()
		request.GetBody, request.ContentLength = open, int64(len(b.bytes))
	}
	return nil
}

// closeUnsent closes a stream that was not sent.
func (b *body) closeUnsent() {
	if b.stream == nil || b.sent {
		return
	}
	b.sent = true
	if closer, ok := b.stream.(io.Closer); ok {
		closer.Close()
	}
}

// Body sets the body of the request:
//
//   - []byte is sent as it is.
//   - An io.Reader: a *bytes.Buffer, *bytes.Reader or *strings.Reader is read now.
//     Any other is streamed, and the request is never retried; the call that sends
//     the request closes the reader if it is an io.Closer, even if nothing is
//     sent.
//   - nil or a nil pointer sends no body.
//   - Any other value except a string is encoded as JSON. Its apiVersion and kind
//     must be set for custom resources and for apply: the server rejects the
//     request otherwise, and the error explains it. When an object of a built-in
//     kind is created or replaced, the server infers them.
//
// A string is an error, because in client-go it is the name of a file. The
// Content-Type of a patch is its patch type. Otherwise it is Config.ContentType for
// bytes and readers, and JSON for other values. SetHeader overrides it.
func (r *Request) Body(content any) *Request {
	if nilcheck.IsNil(content) {
		r.body = body{}
		return r
	}
	switch content := content.(type) {
	case []byte:
		r.body = body{bytes: content, contentType: r.client.config.ContentType}
	case *bytes.Buffer, *bytes.Reader, *strings.Reader:
		read, err := io.ReadAll(content.(io.Reader))
		if err != nil {
			return r.failf("Body", "%w", err)
		}
		r.body = body{bytes: read, contentType: r.client.config.ContentType}
	case io.Reader:
		r.body = body{stream: content, contentType: r.client.config.ContentType}
	case string:
		return r.failf("Body", "a string may be a file name or its contents: pass a []byte or an open file")
	default:
		encoded, err := json.Marshal(content)
		if err != nil {
			return r.failf("Body", "encode %T: %w", content, err)
		}
		r.body = body{bytes: encoded, contentType: wire.JSONType}
		if r.method == http.MethodPost || r.method == http.MethodPut || r.patchType == types.ApplyPatchType {
			r.body.missingType = missingTypeMeta(content, encoded)
		}
	}
	return r
}

// missingTypeMeta describes the part of its type that the encoded content lacks; it
// returns "" if both are set.
func missingTypeMeta(content any, encoded []byte) string {
	missing := "kind"
	switch apiVersion, kind := wire.TypeOfJSON(encoded, wire.DefaultMaxDepth); {
	case kind != "" && apiVersion != "":
		return ""
	case kind != "":
		missing = "apiVersion"
	}
	return fmt.Sprintf("the %T in the Body has no %s: set its TypeMeta, or write it through a Resource", content, missing)
}

// sentType returns the Content-Type of the body, "" if there is none.
func (r *Request) sentType() string {
	switch {
	case r.body.bytes == nil && r.body.stream == nil:
		return ""
	case r.patchType != "":
		return string(r.patchType)
	case r.body.contentType != "":
		return r.body.contentType
	}
	return wire.JSONType
}

// readAll reads the whole body of a response, up to Config.MaxResponseBytes.
func (r *Request) readAll(response *http.Response) ([]byte, error) {
	limit := r.client.config.MaxResponseBytes
	if limit == 0 {
		limit = defaultMaxResponseBytes
	}
	length := response.ContentLength
	if r.method == http.MethodHead {
		length = 0 // the body of a HEAD response is not sent
	}
	if length > limit {
		return nil, fmt.Errorf("the response has %d bytes, but MaxResponseBytes is %d", length, limit)
	}
	var read bytes.Buffer
	if length > 0 {
		// Content-Length is trusted up to a limit.
		read.Grow(int(min(length, maxPreallocation)) + bytes.MinRead)
	}
	n, err := read.ReadFrom(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the response after %d bytes: %w", n, err)
	case n > limit:
		return nil, fmt.Errorf("the response is larger than MaxResponseBytes, %d", limit)
	}
	return read.Bytes(), nil
}

const (
	defaultMaxResponseBytes = 64 << 20
	maxPreallocation        = 1 << 20
)
