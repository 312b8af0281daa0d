package response

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"sigs.k8s.io/yaml"
)

// minGzipBytes is the size from which responses are compressed.
const minGzipBytes = 128 << 10

// Output is the body of a response. It is compressed if it is long and the
// client accepts gzip. Close ends it.
type Output struct {
	w         http.ResponseWriter
	code      int
	mediaType string
	// pending is the body so far, until it is known whether to compress it; to
	// receives the rest.
	pending []byte
	to      io.Writer
	zip     *gzip.Writer
}

// NewOutput returns the body of the response to r.
func NewOutput(w http.ResponseWriter, r *http.Request, code int, mediaType string) *Output {
	o := &Output{w: w, code: code, mediaType: mediaType}
	if !takesGzip(r) {
		o.begin()
	}
	return o
}

func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(coding) == "gzip" {
			return true
		}
	}
	return false
}

func (o *Output) begin() {
	o.w.Header().Set("Content-Type", o.mediaType)
	o.w.WriteHeader(o.code)
	o.to = o.w
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if o.to != nil {
		return o.to.Write(p)
	}
	o.pending = append(o.pending, p...)
	if len(o.pending) <= minGzipBytes {
		return len(p), nil
	}
	o.w.Header().Set("Content-Encoding", "gzip")
	o.w.Header().Add("Vary", "Accept-Encoding")
	o.begin()
	// The fastest level, as in kube-apiserver. It is valid, so there is no error.
	o.zip, _ = gzip.NewWriterLevel(o.w, gzip.BestSpeed)
	o.to = o.zip
	_, err := o.to.Write(o.pending)
	o.pending = nil
	return len(p), err
}

// Close ends the body. Without it, a short body is not written.
func (o *Output) Close() error {
	switch {
	case o.to == nil:
		o.begin()
		_, err := o.w.Write(o.pending)
		return err
	case o.zip != nil:
		return o.zip.Close()
	}
	return nil
}

// Encoded converts a whole response, in compact JSON, to the requested
// encoding.
func (f *Format) Encoded(text []byte) ([]byte, error) {
	switch {
	case f.YAML:
		out, err := yaml.JSONToYAML(text)
		if err != nil {
			return nil, fmt.Errorf("encode a response as YAML: %w", err)
		}
		return out, nil
	case f.Pretty:
		var out bytes.Buffer
		if err := json.Indent(&out, text, "", "  "); err != nil {
			return nil, fmt.Errorf("indent a response: %w", err)
		}
		return out.Bytes(), nil
	}
	return append(text[:len(text):len(text)], '\n'), nil
}

// Send writes a whole response.
func (f *Format) Send(w http.ResponseWriter, r *http.Request, code int, text []byte) error {
	text, err := f.Encoded(text)
	if err != nil {
		return err
	}
	out := NewOutput(w, r, code, f.MediaType())
	if _, err := out.Write(text); err != nil {
		return nil // the client has disconnected
	}
	_ = out.Close() // likewise
	return nil
}
