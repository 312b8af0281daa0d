package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// object is what a stored object looks like in an answer. The result may be the
// text itself.
func (f *format) object(res *resource, text []byte) ([]byte, error) {
	switch f.as.Kind {
	case "":
		return res.versioned(text), nil
	case "Table":
		table, err := f.table(res, [][]byte{text}, listMeta{version: versionIn(text)})
		f.headless = true
		return table, err
	}
	return f.partial(text)
}

// afterHead is what follows the type of an object in the text of a draft.
const afterHead = `,"metadata":{"resourceVersion":"`

// splitHead parts the text of a stored object before its metadata. What is in
// another form, such as a scale, has no head.
func splitHead(text []byte) (head, rest []byte) {
	if at := bytes.Index(text[:min(len(text), 1<<10)], []byte(afterHead)); at > 0 {
		return text[:at], text[at+1:]
	}
	return nil, text
}

// head is how the text of an object begins, with its opening brace.
func (r *resource) head() string {
	return `{"apiVersion":` + strconv.Quote(r.GroupVersion().String()) + `,"kind":` + strconv.Quote(r.Kind)
}

// versioned is the text of a custom resource in the version that is asked for:
// between the versions of one, nothing but apiVersion differs.
func (r *resource) versioned(text []byte) []byte {
	if !r.custom {
		return text
	}
	want := r.head()
	head, rest := splitHead(text)
	if head == nil || string(head) == want || !bytes.Contains(head, []byte(`"kind":`+strconv.Quote(r.Kind))) {
		return text
	}
	out := make([]byte, 0, len(want)+1+len(rest))
	out = append(append(out, want...), ',')
	return append(out, rest...)
}

// headless is an object as an item of a list: those of custom resources say
// what they are, and others do not.
func (r *resource) item(text []byte) (before string, after []byte) {
	if r.custom {
		return "", r.versioned(text)
	}
	if head, rest := splitHead(text); head != nil {
		return "{", rest
	}
	return "", text
}

// partial is an object with nothing but its metadata.
func (f *format) partial(text []byte) ([]byte, error) {
	meta, err := metadataIn(text)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(meta)+100)
	out = append(out, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/`...)
	out = append(append(out, f.as.Version...), `","metadata":`...)
	out = append(out, meta...)
	return append(out, '}'), nil
}

// metadataIn is the text of an object's metadata.
func metadataIn(text []byte) ([]byte, error) {
	head, rest := splitHead(text)
	if head != nil {
		rest = rest[len(`"metadata":`):]
		if n, done, err := new(jsonobj.Framer).Next(rest); err == nil && done {
			return rest[:n], nil
		}
	}
	var object struct {
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("take the metadata out of an object: %w", err)
	}
	if object.Metadata == nil {
		return []byte("{}"), nil
	}
	return object.Metadata, nil
}

// versionIn is the resourceVersion of an object, "" if it has none.
func versionIn(text []byte) string {
	_, rest := splitHead(text)
	rest, found := bytes.CutPrefix(rest, []byte(afterHead[1:]))
	if end := bytes.IndexByte(rest, '"'); found && end >= 0 {
		return string(rest[:end])
	}
	return ""
}
