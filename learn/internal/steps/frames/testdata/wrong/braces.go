// want: a frame is an event: brackets and quotes in a string do not end a frame

package frames

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewDecoder(body io.Reader) stack.Decoder { return &decoder{bufio.NewReader(body)} }

type decoder struct{ body *bufio.Reader }

// read counts all braces, also those in strings.
func (d *decoder) read() (frame []byte, err error) {
	for depth := 0; ; {
		b, err := d.body.ReadByte()
		switch {
		case err == io.EOF && depth > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case b == '{':
			depth++
		case b == '}':
			depth--
		case depth == 0:
			continue
		}
		if frame = append(frame, b); depth == 0 {
			return frame, nil
		}
	}
}

func (d *decoder) Next() (stack.Event, error) {
	raw, err := d.read()
	if err != nil {
		return stack.Event{}, err
	}
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := iterator.Unmarshal(raw, &frame); err != nil {
		return stack.Event{}, fmt.Errorf("decode a frame: %w", err)
	}
	if len(frame.Object) == 0 || string(frame.Object) == "null" {
		return stack.Event{}, fmt.Errorf("no object")
	}
	if frame.Type == watch.Error {
		return stack.Event{}, statusOf(frame.Object)
	}
	return eventOf(frame.Type, frame.Object)
}
