// want: a context ends a Next that waits: ended only by closing the body

package listwatch

import (
	"context"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The context is only looked at before the read.
func (s *stream) next(ctx context.Context) (stack.Event, error) {
	if err := s.end(ctx.Err()); err != nil {
		return stack.Event{}, err
	}
	event, err := s.decoder.Next()
	if s.ctx.Err() != nil {
		err = s.ctx.Err()
	}
	if err != nil {
		err = s.end(err)
	}
	return event, err
}
