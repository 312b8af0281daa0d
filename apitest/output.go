package apitest

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

// worthZipping is how long an answer must be to be compressed.
const worthZipping = 128 << 10

// output is the body of an answer. It is compressed if it is long and the
// client can read that. Close ends it.
type output struct {
	w         http.ResponseWriter
	code      int
	mediaType string
	// pending is what came until it is known how long the body is; to is where
	// the rest goes.
	pending []byte
	to      io.Writer
	zip     *gzip.Writer
}

func newOutput(w http.ResponseWriter, r *http.Request, code int, mediaType string) *output {
	o := &output{w: w, code: code, mediaType: mediaType}
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

func (o *output) begin() {
	o.w.Header().Set("Content-Type", o.mediaType)
	o.w.WriteHeader(o.code)
	o.to = o.w
}

func (o *output) Write(p []byte) (int, error) {
	if o.to != nil {
		return o.to.Write(p)
	}
	o.pending = append(o.pending, p...)
	if len(o.pending) <= worthZipping {
		return len(p), nil
	}
	o.w.Header().Set("Content-Encoding", "gzip")
	o.w.Header().Add("Vary", "Accept-Encoding")
	o.begin()
	// The fastest level, as elsewhere. It is a valid one: there is no error.
	o.zip, _ = gzip.NewWriterLevel(o.w, gzip.BestSpeed)
	o.to = o.zip
	_, err := o.to.Write(o.pending)
	o.pending = nil
	return len(p), err
}

func (o *output) Close() error {
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

// encoded is a whole answer, which is compact JSON, as its reader wants it.
func (f *format) encoded(text []byte) ([]byte, error) {
	switch {
	case f.yaml:
		out, err := yaml.JSONToYAML(text)
		if err != nil {
			return nil, fmt.Errorf("write an answer as YAML: %w", err)
		}
		return out, nil
	case f.pretty:
		var out bytes.Buffer
		if err := json.Indent(&out, text, "", "  "); err != nil {
			return nil, fmt.Errorf("indent an answer: %w", err)
		}
		return out.Bytes(), nil
	}
	return append(text[:len(text):len(text)], '\n'), nil
}

// send writes a whole answer.
func (f *format) send(w http.ResponseWriter, r *http.Request, code int, text []byte) error {
	text, err := f.encoded(text)
	if err != nil {
		return err
	}
	out := newOutput(w, r, code, f.mediaType())
	if _, err := out.Write(text); err != nil {
		return nil // the client has gone
	}
	_ = out.Close() // likewise
	return nil
}
