package fault

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// Buffer buffers a whole response, so that it can be changed.
type Buffer struct {
	out    Response
	header http.Header
	code   int
	body   bytes.Buffer
	// broken responses stop before their end.
	broken bool
}

// NewBuffer returns a buffer for the response that out writes. broken
// responses stop before their end.
func NewBuffer(out Response, broken bool) *Buffer {
	return &Buffer{out: out, header: http.Header{}, broken: broken}
}

// Header implements http.ResponseWriter.
func (b *Buffer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *Buffer) WriteHeader(code int) {
	if b.code == 0 {
		b.code = code
	}
}

// Write implements http.ResponseWriter.
func (b *Buffer) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

// Flush implements http.Flusher.
func (b *Buffer) Flush() {}

// Uncompressed returns the request without support for compression: a body has
// to be readable to be changed.
func Uncompressed(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding")
	return r
}

// Rewrite changes the body of a successful response.
func (b *Buffer) Rewrite(changes []func([]byte) []byte) {
	if b.code >= 300 {
		return
	}
	body := b.body.Bytes()
	for _, f := range changes {
		body = f(body)
	}
	b.body = *bytes.NewBuffer(body)
}

// Send writes the response, or the first half of it.
func (b *Buffer) Send() {
	w := b.out
	for name, values := range b.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(b.body.Len()))
	if b.code != 0 {
		w.WriteHeader(b.code)
	}
	if !b.broken {
		// An error means that the client has disconnected.
		_, _ = w.Write(b.body.Bytes())
		return
	}
	if _, err := w.Write(b.body.Bytes()[:b.body.Len()/2]); err == nil {
		w.Flush()
	}
	panic(http.ErrAbortHandler)
}

// OtherKind changes the kind of an object to one that no server has.
func OtherKind(object []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	fields["kind"], fields["apiVersion"] = json.RawMessage(`"Unexpected"`), json.RawMessage(`"apitest.invalid/v1"`)
	text, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return text
}
