// The work is done by this file and the Store.

package cache

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilcache "k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/internal/resourceversion"
)

// MutationCache combines a Store with objects that its user has written to the
// server: of both, it returns the newer. It bridges the time until a write
// arrives in the Store.
//
// A returned object was current at some time, but need not be the last write:
// only a limited number of writes is remembered, for a limited time.
type MutationCache interface {
	// GetByKey returns the newer of the object in the Store and the remembered
	// write.
	GetByKey(key string) (any, bool, error)
	// ByIndex returns the objects with an indexed value, each in its newer
	// form.
	ByIndex(indexName, indexKey string) ([]any, error)
	// Mutation remembers obj, the object that the server has returned for a
	// write.
	Mutation(obj any)
	// OnAddOrUpdate forgets a write that is not newer than obj, which was added
	// to the Store. Calling it is optional: it reduces memory, and prevents
	// deleted objects from being returned.
	OnAddOrUpdate(obj runtime.Object)
	// OnDelete forgets writes of obj, which was deleted from the Store, and
	// remembers the deletion. Calling it is optional.
	OnDelete(obj runtime.Object)

	// internal prevents other implementations.
	internal()
}

// ResourceVersionComparator compares the versions of two objects. The result is
// negative if the first is older.
type ResourceVersionComparator interface {
	CompareResourceVersion(lhs, rhs runtime.Object) int
}

// MutationCacheOptions configures a MutationCache. The zero value is a working
// default.
type MutationCacheOptions struct {
	// Indexer is used by ByIndex. Default: none; ByIndex returns an error.
	Indexer Indexer
	// TTL is how long a write is remembered. Default: 5 minutes.
	TTL time.Duration
	// IncludeAdds makes the cache return a write even if the Store has no
	// object with its key. The object may have been deleted since: it is
	// returned until OnDelete is called or TTL has passed. Default: only
	// objects in the Store are returned.
	IncludeAdds bool
	// MaxCacheSize is the number of writes that are remembered. When it is
	// exceeded, the least recently used write is forgotten. Default: 100.
	MaxCacheSize int
}

// NewIntegerResourceVersionMutationCache calls
// NewIntegerResourceVersionMutationCacheWithOptions.
func NewIntegerResourceVersionMutationCache(logger klog.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	return NewIntegerResourceVersionMutationCacheWithOptions(logger, backingCache,
		MutationCacheOptions{Indexer: indexer, TTL: ttl, IncludeAdds: includeAdds})
}

// NewIntegerResourceVersionMutationCacheWithOptions returns a MutationCache
// over a Store. The versions of the objects should be increasing integers, as
// those of API servers are. If two versions cannot be compared, the Store takes
// precedence.
func NewIntegerResourceVersionMutationCacheWithOptions(logger klog.Logger, backingCache Store, options MutationCacheOptions) MutationCache {
	c := &mutationCache{logger: logger, backing: backingCache, indexer: options.Indexer, ttl: options.TTL, includeAdds: options.IncludeAdds}
	if c.ttl == 0 {
		c.ttl = 5 * time.Minute
	}
	size := options.MaxCacheSize
	if size <= 0 {
		size = 100
	}
	c.written = utilcache.NewLRUExpireCache(size)
	return c
}

type mutationCache struct {
	logger      klog.Logger
	backing     Store
	indexer     Indexer // may be nil
	ttl         time.Duration
	includeAdds bool

	// mu is held between reading written and acting on it. It is not held while
	// the Stores, which belong to the user, are called.
	mu sync.Mutex
	// written contains an immutable *write for each key.
	written *utilcache.LRUExpireCache
}

// write is the newest known state of a key other than that in the Store: a
// written object or a deletion.
type write struct {
	key     string
	obj     any
	uid     types.UID
	version string
	deleted bool
}

// uidAndVersioner is the metadata that a MutationCache needs.
type uidAndVersioner interface {
	GetUID() types.UID
	GetResourceVersion() string
}

// writeOf returns obj as a write.
func writeOf(obj any) (*write, error) {
	identity, err := metadata.As[uidAndVersioner](obj)
	if err != nil {
		return nil, err
	}
	key, err := MetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, err
	}
	return &write{key: key, obj: obj, uid: identity.GetUID(), version: identity.GetResourceVersion()}, nil
}

// compareVersions compares two versions and reports whether they are
// comparable. An empty version and 0 are older than any other.
func compareVersions(a, b string) (order int, ok bool) {
	before, after := a == "" || a == "0", b == "" || b == "0"
	switch {
	case before && after:
		return 0, true
	case before:
		return -1, true
	case after:
		return 1, true
	}
	return resourceversion.Compare(a, b)
}

// known returns the write that is remembered for key. It is called with mu
// held.
func (c *mutationCache) known(key string) (w *write, ok bool) {
	found, ok := c.written.Get(key)
	if !ok {
		return nil, false
	}
	return found.(*write), true
}

func (c *mutationCache) lookup(key string) (w *write, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known(key)
}

func (c *mutationCache) GetByKey(key string) (any, bool, error) { return c.getFrom(c.backing, key) }

// getFrom reads the writes first. If a write is forgotten after that, the
// object was in the store before, so that the store does not return an older
// state than an earlier call.
func (c *mutationCache) getFrom(store Store, key string) (any, bool, error) {
	w, written := c.lookup(key)
	if store == nil {
		return nil, false, fmt.Errorf("looking for %q: %w", key, errNoBackingStore)
	}
	obj, exists, err := store.GetByKey(key)
	switch {
	case err != nil:
		return nil, false, err
	case exists && written && c.isNewer(w, obj):
		return w.obj, true, nil
	case exists:
		return obj, true, nil
	case c.includeAdds && written && !w.deleted:
		return w.obj, true, nil
	}
	return nil, false, nil
}

// isNewer reports whether w is newer than stored, the object in a Store with
// the same key. If it is not, w is forgotten.
func (c *mutationCache) isNewer(w *write, stored any) bool {
	versioned, err := metadata.As[metadata.Versioner](stored)
	if err != nil {
		return false
	}
	if order, ok := compareVersions(versioned.GetResourceVersion(), w.version); !ok || order >= 0 {
		c.forget(w)
		return false
	}
	return !w.deleted
}

// forget removes w, unless it was replaced.
func (c *mutationCache) forget(w *write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, ok := c.known(w.key); ok && now == w {
		c.written.Remove(w.key)
	}
}

var (
	errNoIndexer      = errors.New("the mutation cache has no indexer")
	errNoBackingStore = errors.New("the mutation cache has no store")
)

func (c *mutationCache) ByIndex(indexName, indexKey string) ([]any, error) {
	if c.indexer == nil {
		return nil, fmt.Errorf("looking for %q in index %s: %w", indexKey, indexName, errNoIndexer)
	}
	var writes []*write
	if c.includeAdds {
		writes = c.writes() // before the indexer is read, as in getFrom
	}
	keys, err := c.indexer.IndexKeys(indexName, indexKey)
	if err != nil {
		return nil, err
	}
	var items []any
	for _, key := range keys {
		obj, exists, err := c.getFrom(c.indexer, key)
		if err != nil {
			return nil, err
		}
		if exists {
			items = append(items, obj)
		}
	}
	adds, err := c.addsByIndex(writes, indexName, indexKey, keys)
	return append(items, adds...), err
}

// addsByIndex returns the newer forms of the writes that have an indexed value,
// except those with a key in without. It reads each object from the indexer
// again, which may have received it since the keys were read.
func (c *mutationCache) addsByIndex(writes []*write, indexName, indexKey string, without []string) (items []any, err error) {
	valuesOf := c.indexer.GetIndexers()[indexName]
	if len(writes) == 0 || valuesOf == nil {
		return nil, nil
	}
	found := make(map[string]bool, len(without))
	for _, key := range without {
		found[key] = true
	}
	for _, w := range writes {
		if found[w.key] {
			continue
		}
		stored, exists, err := c.indexer.GetByKey(w.key)
		if err != nil {
			return nil, err
		}
		obj := w.obj
		if exists && !c.isNewer(w, stored) {
			obj = stored
		}
		values, err := valuesOf(obj)
		if err != nil {
			c.logger.V(4).Info("Index function failed for a written object", "index", indexName, "key", w.key, "err", err)
			continue
		}
		if slices.Contains(values, indexKey) {
			items = append(items, obj)
		}
	}
	return items, nil
}

// writes returns the remembered writes, except deletions.
func (c *mutationCache) writes() (writes []*write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Keys are in the order of use, least recently used first. Reading all of
	// them keeps that order.
	for _, key := range c.written.Keys() {
		if w, ok := c.known(key.(string)); ok && !w.deleted {
			writes = append(writes, w)
		}
	}
	return writes
}

func (c *mutationCache) Mutation(obj any) {
	w, err := writeOf(obj)
	if err != nil {
		c.logger.Error(err, "Failed to remember a write")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.known(w.key); ok && !w.replaces(before) {
		return
	}
	c.written.Add(w.key, w, c.ttl)
}

// replaces reports whether w replaces before. The same object replaces itself,
// because the owner of the second one may still change it, but not the first
// one.
func (w *write) replaces(before *write) bool {
	order, ok := compareVersions(w.version, before.version)
	if ok && order < 0 {
		return false
	}
	return !before.deleted || w.uid != before.uid && (!ok || order > 0)
}

func (c *mutationCache) OnAddOrUpdate(obj runtime.Object) {
	w, err := writeOf(obj)
	if err != nil {
		c.logger.Error(err, "Failed to compare an added or updated object with the writes")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before, ok := c.known(w.key)
	if !ok {
		return
	}
	if order, ok := compareVersions(w.version, before.version); !ok || order >= 0 {
		c.written.Remove(w.key)
	}
}

func (c *mutationCache) OnDelete(obj runtime.Object) {
	w, err := writeOf(obj)
	if err != nil {
		c.logger.Error(err, "Failed to compare a deleted object with the writes")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.known(w.key); ok && before.uid != w.uid {
		if order, ok := compareVersions(w.version, before.version); !ok || order < 0 {
			return // another object with that name, which may still exist
		}
	}
	w.obj, w.deleted = nil, true
	c.written.Add(w.key, w, c.ttl)
}

func (c *mutationCache) internal() {}
