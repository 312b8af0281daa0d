// want: the end between frames is io.EOF: The Decoder of json-iterator has no io.EOF after white space

package frames

import (
	"encoding/json"
	"fmt"
	"io"

	jsoniter "github.com/json-iterator/go"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewDecoder(body io.Reader) stack.Decoder { return &decoder{iterator.NewDecoder(body)} }

type decoder struct{ frames *jsoniter.Decoder }

func (d *decoder) Next() (stack.Event, error) {
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := d.frames.Decode(&frame); err != nil {
		return stack.Event{}, err
	}
	switch {
	case len(frame.Object) == 0 || string(frame.Object) == "null":
		return stack.Event{}, fmt.Errorf("no object")
	case frame.Type == watch.Error:
		return stack.Event{}, statusOf(frame.Object)
	}
	return eventOf(frame.Type, frame.Object)
}
