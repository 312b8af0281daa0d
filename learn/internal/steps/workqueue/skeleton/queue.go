// Package workqueue is your part of step 10.
package workqueue

import (
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewWorkQueue returns the queue between the handlers and the workers. It hands out each
// key to one worker at a time, and a key that is added while it is processed again after
// Done. AddRateLimited adds a key after a time that doubles from base to limit.
func NewWorkQueue(base, limit time.Duration) stack.WorkQueue {
	return nil
}
