package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const jsonType = "application/json"

// body is what a request sends: bytes, which can be sent again, or a stream,
// which cannot.
type body struct {
	bytes       []byte
	stream      io.Reader
	sent        bool // the stream has been given away, or closed
	contentType string
}

// repeatable is whether the body can be sent once more.
func (b *body) repeatable() bool { return b.stream == nil }

// on puts the body on a request.
func (b *body) on(request *http.Request) error {
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

// abandon closes a stream that nobody will send any more.
func (b *body) abandon() {
	if b.stream == nil || b.sent {
		return
	}
	b.sent = true
	if closer, ok := b.stream.(io.Closer); ok {
		closer.Close()
	}
}

// Body is what the request sends:
//
//   - []byte, as it is;
//   - an io.Reader: a *bytes.Buffer, *bytes.Reader or *strings.Reader is read
//     now; any other is sent as it is read, and the request is never repeated; the
//     terminal call closes it if it is an io.Closer, sent or not;
//   - nil or a nil pointer: nothing;
//   - any other value but a string: as JSON.
//
// A string is an error, since in client-go it is the name of a file. The
// Content-Type is the patch's, else Config.ContentType for what comes in bytes,
// else JSON; SetHeader has the last word.
func (r *Request) Body(content any) *Request {
	if isNil(content) {
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
		return r.failf("Body", "a string may be a file's name or its content: give the bytes, or the open file")
	default:
		encoded, err := json.Marshal(content)
		if err != nil {
			return r.failf("Body", "encode %T: %w", content, err)
		}
		r.body = body{bytes: encoded, contentType: jsonType}
	}
	return r
}

// sentType is the Content-Type of what is sent, "" when nothing is.
func (r *Request) sentType() string {
	switch {
	case r.body.bytes == nil && r.body.stream == nil:
		return ""
	case r.form != "":
		return string(r.form)
	case r.body.contentType != "":
		return r.body.contentType
	}
	return jsonType
}

// readAll reads the whole body of an answer, up to Config.MaxResponseBytes.
func (r *Request) readAll(response *http.Response) ([]byte, error) {
	most := r.client.config.MaxResponseBytes
	if most == 0 {
		most = defaultMaxResponseBytes
	}
	length := response.ContentLength
	if r.method == http.MethodHead {
		length = 0 // what it announces does not come
	}
	if length > most {
		return nil, fmt.Errorf("the answer has %d bytes, and MaxResponseBytes is %d", length, most)
	}
	var read bytes.Buffer
	if length > 0 {
		// What a server announces is believed only so far.
		read.Grow(int(min(length, trustedLength)) + bytes.MinRead)
	}
	n, err := read.ReadFrom(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer after %d bytes: %w", n, err)
	case n > most:
		return nil, fmt.Errorf("the answer is larger than MaxResponseBytes, %d", most)
	}
	return read.Bytes(), nil
}

const (
	defaultMaxResponseBytes = 64 << 20
	trustedLength           = 1 << 20
)
