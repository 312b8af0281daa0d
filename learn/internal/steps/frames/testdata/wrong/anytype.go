// want: a frame without a known type or an object is an error: a known type and an object are necessary

package frames

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func (d *decoder) Next() (stack.Event, error) {
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := d.framer.Decode(&frame); err != nil {
		return stack.Event{}, err
	}
	if frame.Type == watch.Error {
		return stack.Event{}, statusOf(frame.Object)
	}
	return eventOf(frame.Type, frame.Object)
}
