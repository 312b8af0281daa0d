package objects

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// afterHead follows the apiVersion and kind of an object in the text of a
// draft.
const afterHead = `,"metadata":{"resourceVersion":"`

// SplitHead splits the text of a stored object before its metadata. Text in
// another form, such as a scale, has no head.
func SplitHead(text []byte) (head, rest []byte) {
	if at := bytes.Index(text[:min(len(text), 1<<10)], []byte(afterHead)); at > 0 {
		return text[:at], text[at+1:]
	}
	return nil, text
}

// MetadataText returns the text of an object's metadata.
func MetadataText(text []byte) ([]byte, error) {
	head, rest := SplitHead(text)
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
		return nil, fmt.Errorf("decode the metadata of an object: %w", err)
	}
	if object.Metadata == nil {
		return []byte("{}"), nil
	}
	return object.Metadata, nil
}

// VersionText returns the resourceVersion of an object, "" if it has none.
func VersionText(text []byte) string {
	_, rest := SplitHead(text)
	rest, found := bytes.CutPrefix(rest, []byte(afterHead[1:]))
	if end := bytes.IndexByte(rest, '"'); found && end >= 0 {
		return string(rest[:end])
	}
	return ""
}
