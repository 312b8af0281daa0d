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
func (a *Buffer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *Buffer) WriteHeader(code int) {
	if a.code == 0 {
		a.code = code
	}
}

// Write implements http.ResponseWriter.
func (a *Buffer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush implements http.Flusher.
func (a *Buffer) Flush() {}

// Uncompressed returns the request without support for compression: a body has
// to be readable to be changed.
func Uncompressed(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding")
	return r
}

// Rewrite changes the body of a successful response.
func (a *Buffer) Rewrite(changes []func([]byte) []byte) {
	if a.code >= 300 {
		return
	}
	body := a.body.Bytes()
	for _, f := range changes {
		body = f(body)
	}
	a.body = *bytes.NewBuffer(body)
}

// Send writes the response, or the first half of it.
func (a *Buffer) Send() {
	w := a.out
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
	if a.code != 0 {
		w.WriteHeader(a.code)
	}
	if !a.broken {
		// An error means that the client has gone.
		_, _ = w.Write(a.body.Bytes())
		return
	}
	if _, err := w.Write(a.body.Bytes()[:a.body.Len()/2]); err == nil {
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
