// want: a frame can be large: bufio.Scanner has a limit of 64 KB

package frames

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"k8s.io/apimachinery/pkg/watch"
)

func NewDecoder(body io.Reader) stack.Decoder { return &decoder{bufio.NewScanner(body)} }

type decoder struct{ lines *bufio.Scanner }

func (d *decoder) Next() (stack.Event, error) {
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object rawMessage      `json:"object"`
	}
	for d.lines.Scan() {
		if len(bytes.TrimSpace(d.lines.Bytes())) == 0 {
			continue
		}
		if err := iterator.Unmarshal(d.lines.Bytes(), &frame); err != nil {
			return stack.Event{}, fmt.Errorf("decode a frame: %w", err)
		}
		switch frame.Type {
		case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
			return eventOf(frame.Type, frame.Object)
		case watch.Error:
			return stack.Event{}, statusOf(frame.Object)
		}
		return stack.Event{}, fmt.Errorf("unknown type %q", frame.Type)
	}
	if err := d.lines.Err(); err != nil {
		return stack.Event{}, err
	}
	return stack.Event{}, io.EOF
}

type rawMessage []byte

func (m *rawMessage) UnmarshalJSON(encoded []byte) error {
	*m = append((*m)[:0], encoded...)
	return nil
}
