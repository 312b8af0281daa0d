package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

// ExpirationPolicy says which objects of an ExpirationCache have expired. It is
// asked by whoever reads, by several at once.
type ExpirationPolicy interface {
	IsExpired(obj *TimestampedEntry) bool
}

// TTLPolicy has objects expire a time after they were stored.
type TTLPolicy struct {
	// TTL is that time. At 0 and below, nothing expires.
	TTL time.Duration
	// Clock says what time it is. Default: the real one.
	Clock clock.Clock
}

// IsExpired reports whether obj was stored longer ago than TTL. By a nil policy
// nothing expires.
func (p *TTLPolicy) IsExpired(obj *TimestampedEntry) bool {
	if p == nil || p.TTL <= 0 {
		return false
	}
	var now clock.Clock = clock.RealClock{}
	if p.Clock != nil {
		now = p.Clock
	}
	return now.Since(obj.Timestamp) > p.TTL
}

// FakeExpirationPolicy is an ExpirationPolicy for tests: all has expired but what
// it names.
type FakeExpirationPolicy struct {
	// NeverExpire has the keys of what has not.
	NeverExpire sets.Set[string]
	// RetrieveKeyFunc makes the key of a *TimestampedEntry. Default: the one that
	// its store has it under.
	RetrieveKeyFunc KeyFunc
}

// IsExpired reports whether NeverExpire is without the key of obj.
func (p *FakeExpirationPolicy) IsExpired(obj *TimestampedEntry) bool {
	if p.RetrieveKeyFunc == nil {
		return !p.NeverExpire.Has(obj.key)
	}
	key, err := p.RetrieveKeyFunc(obj)
	return err != nil || !p.NeverExpire.Has(key)
}

// NewFakeExpirationStore is NewExpirationStore for tests: with a clock, and the
// keys of what has expired are sent to deletedKeys, if that is not nil, by
// whoever finds out.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, cacheClock clock.Clock) Store {
	c := newExpirationCache(keyFunc, expirationPolicy, cacheClock)
	if deletedKeys != nil {
		c.removed = func(key string) { deletedKeys <- key }
	}
	return c
}
