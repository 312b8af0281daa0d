// want: the indexer has a change when process returns: Pop counts the change as processed
package informer

import (
	"context"
	"errors"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// processLoop processes the changes after Pop has returned.
func (i *informer) processLoop(ctx context.Context) {
	for err := error(nil); ctx.Err() == nil && !errors.Is(err, stack.ErrClosed); {
		err = i.queue.Pop(ctx, func(key string, deltas []stack.Delta, initial bool) error {
			i.goroutines.Go(func() {
				time.Sleep(time.Millisecond)
				_ = i.handleDeltas(key, deltas, initial)
			})
			return nil
		})
	}
}
