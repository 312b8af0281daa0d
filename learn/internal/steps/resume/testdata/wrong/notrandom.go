// want: the times are random: come back together

package resume

import (
	"time"
)

// All clients wait for the same time.
func (b *backoff) Next() time.Duration {
	current := b.next
	b.next = min(2*b.next, b.limit)
	return current
}
