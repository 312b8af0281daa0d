// Package frames is the reference of step 3: the events of a watch.
package frames

import (
	"encoding/json"
	"fmt"
	"io"

	jsoniter "github.com/json-iterator/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// iterator has the configuration with which client-go used json-iterator.
var iterator = jsoniter.Config{EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true, CaseSensitive: true}.Froze()

// NewDecoder returns a decoder of the body of a watch.
func NewDecoder(body io.Reader) stack.Decoder { return &decoder{json.NewDecoder(body)} }

// decoder is client-go's framer and its decoder in one. As there, encoding/json only
// finds the end of a frame, in a buffer that grows as necessary: the Decoder of
// json-iterator has no io.EOF for a stream that ends with a newline.
type decoder struct{ framer *json.Decoder }

func (d *decoder) Next() (stack.Event, error) {
	var raw json.RawMessage
	if err := d.framer.Decode(&raw); err != nil {
		return stack.Event{}, err // io.EOF between two frames, io.ErrUnexpectedEOF within one
	}
	// The type of the object depends on that of the event, which may follow it.
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := iterator.Unmarshal(raw, &frame); err != nil {
		return stack.Event{}, fmt.Errorf("decode a frame: %w", err)
	}
	if len(frame.Object) == 0 || string(frame.Object) == "null" {
		return stack.Event{}, fmt.Errorf("the frame of type %q has no object", frame.Type)
	}
	switch frame.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		return eventOf(frame.Type, frame.Object)
	case watch.Error:
		return stack.Event{}, statusOf(frame.Object)
	}
	return stack.Event{}, fmt.Errorf("a frame has the unknown type %q", frame.Type)
}

// eventOf returns an event with an object of its own. The object of a bookmark has only a
// version, and possibly an annotation.
func eventOf(typ watch.EventType, encoded []byte) (stack.Event, error) {
	object := new(stack.ConfigMap)
	if err := iterator.Unmarshal(encoded, object); err != nil {
		return stack.Event{}, fmt.Errorf("decode the object of a frame of type %s: %w", typ, err)
	}
	event := stack.Event{Type: typ, Object: object, ResourceVersion: object.ResourceVersion}
	if typ == watch.Bookmark {
		event.Object = nil
		event.InitialEventsEnd = object.Annotations[metav1.InitialEventsAnnotationKey] == "true"
	}
	return event, nil
}

// statusOf returns the error that an ERROR event reports.
func statusOf(encoded []byte) error {
	failure := new(apierrors.StatusError)
	if err := iterator.Unmarshal(encoded, &failure.ErrStatus); err != nil {
		return fmt.Errorf("decode the Status of a frame of type ERROR: %w", err)
	}
	return failure
}
