package registry

import (
	"bytes"
	"strconv"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// head returns the beginning of the text of an object, with its opening brace.
func (r *Resource) head() string {
	return `{"apiVersion":` + strconv.Quote(r.GroupVersion().String()) + `,"kind":` + strconv.Quote(r.Kind)
}

// Versioned returns the text of a custom resource in the requested version. The
// versions differ in their apiVersion only.
func (r *Resource) Versioned(text []byte) []byte {
	if !r.Custom {
		return text
	}
	want := r.head()
	head, rest := objects.SplitHead(text)
	if head == nil || string(head) == want || !bytes.Contains(head, []byte(`"kind":`+strconv.Quote(r.Kind))) {
		return text
	}
	out := make([]byte, 0, len(want)+1+len(rest))
	out = append(append(out, want...), ',')
	return append(out, rest...)
}

// Item returns an object as an item of a list. Custom resources have their
// apiVersion and kind, others do not.
func (r *Resource) Item(text []byte) (before string, after []byte) {
	if r.Custom {
		return "", r.Versioned(text)
	}
	if head, rest := objects.SplitHead(text); head != nil {
		return "{", rest
	}
	return "", text
}
