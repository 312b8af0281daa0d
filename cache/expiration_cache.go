// The work is done by package indexer, which stores the objects, and by this file, which removes expired ones.

package cache

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/indexer"
)

// ExpirationCache is a Store whose objects expire. An expired object is no
// longer returned, and is removed when it is read. NewTTLStore and
// NewExpirationStore return one.
type ExpirationCache struct {
	entries *indexer.Indexer[*TimestampedEntry]
	keyFunc KeyFunc
	policy  ExpirationPolicy // may be nil: nothing expires
	clock   clock.Clock
	// onExpired is called, without mu held, with each key that has expired. It
	// may be nil.
	onExpired func(key string)

	// mu is held during writes, so that an object that was stored in the
	// meantime is not removed as expired. Reads of objects that have not
	// expired do not need it.
	mu sync.Mutex
}

var _ Store = (*ExpirationCache)(nil)

// TimestampedEntry is an object and the time at which it was stored. It must
// not be modified.
type TimestampedEntry struct {
	Obj       any
	Timestamp time.Time
	key       string
}

// NewTTLStore returns an empty Store whose objects expire ttl after they were
// last stored. If ttl is 0 or less, they never expire.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store {
	return NewExpirationStore(keyFunc, &TTLPolicy{TTL: ttl, Clock: clock.RealClock{}})
}

// NewExpirationStore returns an empty Store whose objects expire according to
// expirationPolicy.
func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return newExpirationCache(keyFunc, expirationPolicy, nil)
}

func newExpirationCache(keyFunc KeyFunc, policy ExpirationPolicy, now clock.Clock) *ExpirationCache {
	if now == nil {
		now = clock.RealClock{}
	}
	return &ExpirationCache{
		entries: indexer.New(indexer.Options[*TimestampedEntry]{Logger: klogger.FromOption(nil)}),
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

// Add stores obj with the current time.
func (c *ExpirationCache) Add(obj any) error {
	key, err := c.key(obj)
	if err != nil {
		return err
	}
	entry := &TimestampedEntry{Obj: obj, Timestamp: c.clock.Now(), key: key}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.KeyedWriter().Set(key, entry, metadata.VersionOf(obj))
	return nil
}

// Update calls Add.
func (c *ExpirationCache) Update(obj any) error { return c.Add(obj) }

// Delete removes the object with obj's key, if there is one.
func (c *ExpirationCache) Delete(obj any) error {
	key, err := c.key(obj)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.KeyedWriter().Delete(key, metadata.VersionOf(obj))
	return nil
}

// Replace replaces all objects with list, with the current time. If an object
// has no key, nothing is changed.
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
	c.entries.KeyedWriter().Replace(keys, entries, resourceVersion)
	return nil
}

// expireOrKeep reports whether entry has not expired. An expired entry is
// removed, unless it has been replaced in the meantime.
func (c *ExpirationCache) expireOrKeep(entry *TimestampedEntry) bool {
	if c.policy == nil || !c.policy.IsExpired(entry) {
		return true
	}
	if c.remove(entry) && c.onExpired != nil {
		c.onExpired(entry.key)
	}
	return false
}

func (c *ExpirationCache) remove(entry *TimestampedEntry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stored, ok := c.entries.Get(entry.key); !ok || stored != entry {
		return false
	}
	c.entries.KeyedWriter().Delete(entry.key, "")
	return true
}

// Get returns the stored object with the key of obj.
func (c *ExpirationCache) Get(obj any) (item any, exists bool, err error) {
	key, err := c.key(obj)
	if err != nil {
		return nil, false, err
	}
	return c.GetByKey(key)
}

// GetByKey returns the stored object with that key.
func (c *ExpirationCache) GetByKey(key string) (item any, exists bool, err error) {
	entry, ok := c.entries.Get(key)
	if !ok || !c.expireOrKeep(entry) {
		return nil, false, nil
	}
	return entry.Obj, true, nil
}

// List returns all objects that have not expired.
func (c *ExpirationCache) List() []any {
	now := c.entries.Snapshot()
	list := make([]any, 0, now.Len())
	for entry := range now.All() {
		if c.expireOrKeep(entry) {
			list = append(list, entry.Obj)
		}
	}
	return list
}

// ListKeys returns the keys of all objects that have not expired.
func (c *ExpirationCache) ListKeys() []string {
	now := c.entries.Snapshot()
	keys := make([]string, 0, now.Len())
	for entry := range now.All() {
		if c.expireOrKeep(entry) {
			keys = append(keys, entry.key)
		}
	}
	return keys
}

// Resync does nothing.
func (c *ExpirationCache) Resync() error { return nil }

// Bookmark sets the version that the store has reached without a change.
func (c *ExpirationCache) Bookmark(rv string) { c.entries.Bookmark(rv) }

// LastStoreSyncResourceVersion returns the version that the store has reached.
func (c *ExpirationCache) LastStoreSyncResourceVersion() string { return c.entries.Version() }

// ExpirationPolicy decides which objects of an ExpirationCache have expired. It
// is called by readers, concurrently.
type ExpirationPolicy interface {
	IsExpired(obj *TimestampedEntry) bool
}

// TTLPolicy is an ExpirationPolicy by which objects expire TTL after they were
// stored.
type TTLPolicy struct {
	// TTL is the lifetime of an object. If it is 0 or less, nothing expires.
	TTL time.Duration
	// Clock is the clock. Default: the real clock.
	Clock clock.Clock
}

// IsExpired reports whether obj was stored longer ago than TTL. With a nil
// policy nothing expires.
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
