package resume

import (
	"math/rand/v2"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewBackoff returns a Backoff with times that double from base to limit.
func NewBackoff(base, limit time.Duration) stack.Backoff { return &backoff{base, limit, base} }

type backoff struct {
	base, limit time.Duration
	next        time.Duration // at most limit
}

// Next returns between a half and all of the current time, at random: clients that failed
// together do not try again together.
func (b *backoff) Next() time.Duration {
	current := min(b.next, b.limit)
	// Only a time below the limit is doubled, so that it cannot overflow.
	if b.next < b.limit {
		b.next *= 2
	}
	return current/2 + rand.N(current/2+1)
}

func (b *backoff) Reset() { b.next = b.base }
