package cache

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/thinformer/thinformer/indexer"
)

// ExpirationCache is a Store whose objects expire: one that has is not found any
// more, and is removed when somebody looks for it. NewTTLStore and
// NewExpirationStore make one.
type ExpirationCache struct {
	entries *indexer.Indexer[*TimestampedEntry]
	keyFunc KeyFunc
	policy  ExpirationPolicy // may be nil: then nothing expires
	clock   clock.Clock
	// removed is told, without mu, of each key that has expired. It may be nil.
	removed func(key string)

	// mu is held by whoever writes, so that nothing is removed as expired that
	// has been stored since. Who reads what has not expired does without.
	mu sync.Mutex
}

var _ Store = (*ExpirationCache)(nil)

// TimestampedEntry is an object and when it was stored. Nobody may change one.
type TimestampedEntry struct {
	Obj       any
	Timestamp time.Time
	key       string
}

// NewTTLStore returns an empty Store whose objects expire a time after they were
// stored last. Those stored with a ttl of 0 or less never do.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store {
	return NewExpirationStore(keyFunc, &TTLPolicy{TTL: ttl, Clock: clock.RealClock{}})
}

// NewExpirationStore returns an empty Store whose objects expire when policy says
// so.
func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return newExpirationCache(keyFunc, expirationPolicy, nil)
}

func newExpirationCache(keyFunc KeyFunc, policy ExpirationPolicy, now clock.Clock) *ExpirationCache {
	if now == nil {
		now = clock.RealClock{}
	}
	return &ExpirationCache{
		entries: indexer.New(indexer.Options[*TimestampedEntry]{Logger: loggerOf(nil)}),
		keyFunc: keyFuncOr(keyFunc),
		policy:  policy,
		clock:   now,
	}
}

func (c *ExpirationCache) key(obj any) (string, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return "", KeyError{Obj: obj, Err: err}
	}
	return key, nil
}

// Add stores obj, as young as can be.
func (c *ExpirationCache) Add(obj any) error {
	key, err := c.key(obj)
	if err != nil {
		return err
	}
	entry := &TimestampedEntry{Obj: obj, Timestamp: c.clock.Now(), key: key}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Keyed().Set(key, entry, versionOf(obj))
	return nil
}

// Update is Add.
func (c *ExpirationCache) Update(obj any) error { return c.Add(obj) }

// Delete removes the object with obj's key, if there is one.
func (c *ExpirationCache) Delete(obj any) error {
	key, err := c.key(obj)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Keyed().Delete(key, versionOf(obj))
	return nil
}

// Replace makes list all that is stored, as young as can be. If one of its
// objects has no key, nothing happens.
func (c *ExpirationCache) Replace(list []any, resourceVersion string) error {
	keys, entries, now := make([]string, len(list)), make([]*TimestampedEntry, len(list)), c.clock.Now()
	for i, obj := range list {
		key, err := c.key(obj)
		if err != nil {
			return fmt.Errorf("replacing the contents, item %d: %w", i, err)
		}
		keys[i], entries[i] = key, &TimestampedEntry{Obj: obj, Timestamp: now, key: key}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Keyed().Replace(keys, entries, resourceVersion)
	return nil
}

// fresh reports whether an entry has not expired. One that has is removed, unless
// another has taken its place.
func (c *ExpirationCache) fresh(entry *TimestampedEntry) bool {
	if c.policy == nil || !c.policy.IsExpired(entry) {
		return true
	}
	if c.remove(entry) && c.removed != nil {
		c.removed(entry.key)
	}
	return false
}

func (c *ExpirationCache) remove(entry *TimestampedEntry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stored, ok := c.entries.Get(entry.key); !ok || stored != entry {
		return false
	}
	c.entries.Keyed().Delete(entry.key, "")
	return true
}

// Get is the stored object with the key of obj.
func (c *ExpirationCache) Get(obj any) (item any, exists bool, err error) {
	key, err := c.key(obj)
	if err != nil {
		return nil, false, err
	}
	return c.GetByKey(key)
}

// GetByKey is the stored object with that key.
func (c *ExpirationCache) GetByKey(key string) (item any, exists bool, err error) {
	entry, ok := c.entries.Get(key)
	if !ok || !c.fresh(entry) {
		return nil, false, nil
	}
	return entry.Obj, true, nil
}

// List is every object that has not expired.
func (c *ExpirationCache) List() []any {
	now := c.entries.Snapshot()
	list := make([]any, 0, now.Len())
	for entry := range now.All() {
		if c.fresh(entry) {
			list = append(list, entry.Obj)
		}
	}
	return list
}

// ListKeys is the key of every object that has not expired.
func (c *ExpirationCache) ListKeys() []string {
	now := c.entries.Snapshot()
	keys := make([]string, 0, now.Len())
	for entry := range now.All() {
		if c.fresh(entry) {
			keys = append(keys, entry.key)
		}
	}
	return keys
}

// Resync does nothing.
func (c *ExpirationCache) Resync() error { return nil }

// Bookmark says that the store has reached a version without a change.
func (c *ExpirationCache) Bookmark(rv string) { c.entries.Bookmark(rv) }

// LastStoreSyncResourceVersion is the version that the store has reached.
func (c *ExpirationCache) LastStoreSyncResourceVersion() string { return c.entries.Version() }
