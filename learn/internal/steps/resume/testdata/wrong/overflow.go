// want: the times double up to the limit: want between

package resume

import (
	"math/rand/v2"
	"time"
)

// The time is doubled without end, and overflows.
func (b *backoff) Next() time.Duration {
	current := b.next
	b.next *= 2
	if current > b.limit {
		current = b.limit
	}
	return current/2 + rand.N(max(current/2, 0)+1)
}
