// want: the loop goes on after an error of Pop: a closed queue remains closed
package informer

import (
	"context"
)

// processLoop goes on after every error, also after that of a closed queue.
func (i *informer) processLoop(ctx context.Context) {
	for ctx.Err() == nil {
		_ = i.queue.Pop(ctx, i.handleDeltas)
	}
}
