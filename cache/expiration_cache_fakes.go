// The work is done by this file and expiration_cache.go.

package cache

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

// FakeExpirationPolicy is an ExpirationPolicy for tests: all objects have
// expired except those in NeverExpire.
type FakeExpirationPolicy struct {
	// NeverExpire is the set of keys of objects that have not expired.
	NeverExpire sets.Set[string]
	// RetrieveKeyFunc returns the key of a *TimestampedEntry. Default: the key
	// under which it is stored.
	RetrieveKeyFunc KeyFunc
}

// IsExpired reports whether the key of obj is not in NeverExpire.
func (p *FakeExpirationPolicy) IsExpired(obj *TimestampedEntry) bool {
	if p.RetrieveKeyFunc == nil {
		return !p.NeverExpire.Has(obj.key)
	}
	key, err := p.RetrieveKeyFunc(obj)
	return err != nil || !p.NeverExpire.Has(key)
}

// NewFakeExpirationStore is NewExpirationStore for tests. It uses cacheClock,
// and sends the keys of expired objects to deletedKeys, unless that is nil,
// from the goroutine that reads them.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, cacheClock clock.Clock) Store {
	c := newExpirationCache(keyFunc, expirationPolicy, cacheClock)
	if deletedKeys != nil {
		c.onExpired = func(key string) { deletedKeys <- key }
	}
	return c
}
