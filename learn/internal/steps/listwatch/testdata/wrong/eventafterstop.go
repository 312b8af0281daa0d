// want: Stop ends a Next that waits: may have read further

package listwatch

import (
	"context"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// A decoder that has an event returns it although the watch has ended.
func (s *stream) next(ctx context.Context) (stack.Event, error) {
	defer context.AfterFunc(ctx, func() { s.end(ctx.Err()) })()
	event, err := s.decoder.Next()
	if err == nil {
		return event, nil
	}
	if s.ctx.Err() != nil {
		err = s.ctx.Err()
	}
	return stack.Event{}, s.end(err)
}
