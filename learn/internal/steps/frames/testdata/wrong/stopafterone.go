// want: an object that cannot be decoded is an error: one object must not end the watch

package frames

import (
	"encoding/json"
	"io"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewDecoder(body io.Reader) stack.Decoder {
	return &stopping{decoder: decoder{json.NewDecoder(body)}}
}

// stopping returns each error again.
type stopping struct {
	decoder decoder
	err     error
}

func (s *stopping) Next() (stack.Event, error) {
	if s.err != nil {
		return stack.Event{}, s.err
	}
	event, err := s.decoder.Next()
	s.err = err
	return event, err
}
