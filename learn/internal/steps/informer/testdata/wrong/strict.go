// want: the loop goes on after an error of Pop: the loop must go on after an error
package informer

import (
	"context"
)

// processLoop ends with the first error.
func (i *informer) processLoop(ctx context.Context) {
	for err := error(nil); ctx.Err() == nil && err == nil; {
		err = i.queue.Pop(ctx, i.handleDeltas)
	}
}
