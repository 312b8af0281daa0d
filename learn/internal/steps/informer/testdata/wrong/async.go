// want: the indexer has a change when process returns: Pop counts the change as processed
package informer

import (
	"context"
	"errors"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// processLoop processes the changes after Pop has returned, in their order: without
// the order, the checks of the handlers' calls would fail at random, too.
func (i *informer) processLoop(ctx context.Context) {
	previous := make(chan struct{})
	close(previous)
	for err := error(nil); ctx.Err() == nil && !errors.Is(err, stack.ErrClosed); {
		err = i.queue.Pop(ctx, func(key string, deltas []stack.Delta, initial bool) error {
			before, done := previous, make(chan struct{})
			previous = done
			i.goroutines.Go(func() {
				defer close(done)
				<-before
				time.Sleep(time.Microsecond)
				_ = i.handleDeltas(key, deltas, initial)
			})
			return nil
		})
	}
}
