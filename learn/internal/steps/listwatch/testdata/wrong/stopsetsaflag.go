// want: Stop ends a Next that waits: can be ended only by closing the body

package listwatch

import (
	"context"
	"io"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Stop and the context only record why the watch ends, and Next closes the body.
func (s *stream) end(reason error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == nil {
		s.reason = reason
	}
	return s.reason
}

func (s *stream) next(ctx context.Context) (stack.Event, error) {
	event, err := s.decoder.Next()
	if s.end(err) != nil {
		s.body.Close()
		return stack.Event{}, s.end(io.EOF)
	}
	return event, nil
}
