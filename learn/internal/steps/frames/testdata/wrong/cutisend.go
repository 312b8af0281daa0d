// want: the end inside a frame is io.ErrUnexpectedEOF: the body ends inside a frame

package frames

import (
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func (d *decoder) Next() (stack.Event, error) {
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if !d.framer.More() {
		return stack.Event{}, io.EOF
	}
	if err := d.framer.Decode(&frame); err != nil {
		return stack.Event{}, io.EOF
	}
	if len(frame.Object) == 0 || string(frame.Object) == "null" {
		return stack.Event{}, fmt.Errorf("no object")
	}
	if frame.Type == watch.Error {
		return stack.Event{}, statusOf(frame.Object)
	}
	return eventOf(frame.Type, frame.Object)
}
