// want: a frame without a known type or an object is an error: a known type and an object are necessary

package frames

import (
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewDecoder(body io.Reader) stack.Decoder { return &decoder{framer: json.NewDecoder(body)} }

// decoder decodes each frame over the one before it, whose fields stay if they are missing.
type decoder struct {
	framer *json.Decoder
	frame  struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
}

func (d *decoder) Next() (stack.Event, error) {
	var raw json.RawMessage
	if err := d.framer.Decode(&raw); err != nil {
		return stack.Event{}, err
	}
	if err := iterator.Unmarshal(raw, &d.frame); err != nil {
		return stack.Event{}, fmt.Errorf("decode a frame: %w", err)
	}
	if len(d.frame.Object) == 0 || string(d.frame.Object) == "null" {
		return stack.Event{}, fmt.Errorf("no object")
	}
	switch d.frame.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		return eventOf(d.frame.Type, d.frame.Object)
	case watch.Error:
		return stack.Event{}, statusOf(d.frame.Object)
	}
	return stack.Event{}, fmt.Errorf("unknown type %q", d.frame.Type)
}
