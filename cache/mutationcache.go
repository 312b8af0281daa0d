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
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/klog/v2"
)

// MutationCache is a Store to read, and over it what its user has written to the
// server: of both, the newer is found. It bridges the time until a write comes
// back to the Store from the server.
//
// What it finds was right at some moment, and need not be what was written last:
// it remembers a number of writes for a time.
type MutationCache interface {
	// GetByKey is the newer of what the Store and the writes have under the key.
	GetByKey(key string) (any, bool, error)
	// ByIndex is what the index has under a value, each object in its newer form.
	ByIndex(indexName, indexKey string) ([]any, error)
	// Mutation remembers obj, which is what the server has returned of a write.
	Mutation(obj any)
	// OnAddOrUpdate forgets what is not newer than obj, which has come into the
	// Store. Nobody need call it: a handler that does keeps the memory small, and
	// what was deleted from being found.
	OnAddOrUpdate(obj runtime.Object)
	// OnDelete forgets what is gone with obj, which has left the Store, and
	// remembers that it has. Nobody need call it.
	OnDelete(obj runtime.Object)

	// There is no other implementation.
	internal()
}

// ResourceVersionComparator compares the versions of two objects: below 0 if the
// first is older.
type ResourceVersionComparator interface {
	CompareResourceVersion(lhs, rhs runtime.Object) int
}

// MutationCacheOptions configures a MutationCache. The zero value is a working
// default.
type MutationCacheOptions struct {
	// Indexer is asked by ByIndex. Default: none, and ByIndex is an error.
	Indexer Indexer
	// TTL is how long a write is remembered. Default: 5 minutes.
	TTL time.Duration
	// IncludeAdds: a write is also found if the Store has nothing of its name. It
	// may have been deleted since: until OnDelete says so, or TTL has passed, it
	// is found. Default: what the Store does not have is not found.
	IncludeAdds bool
	// MaxCacheSize is how many writes are remembered: beyond it those that were
	// looked at least recently are forgotten. Default: 100.
	MaxCacheSize int
}

// NewIntegerResourceVersionMutationCache is
// NewIntegerResourceVersionMutationCacheWithOptions with the options written out.
func NewIntegerResourceVersionMutationCache(logger klog.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	return NewIntegerResourceVersionMutationCacheWithOptions(logger, backingCache,
		MutationCacheOptions{Indexer: indexer, TTL: ttl, IncludeAdds: includeAdds})
}

// NewIntegerResourceVersionMutationCacheWithOptions returns a MutationCache over
// a Store. The versions of the objects should be whole numbers that grow, as all
// servers have them; where two have no order, the Store is believed.
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

	// mu is held from a look at what was written to what follows from it. The
	// Stores, which are the user's, are asked without it.
	mu sync.Mutex
	// written has a *write for each key, which is never changed.
	written *utilcache.LRUExpireCache
}

// A write is the newest that is known of a key, other than by the Store: an
// object that was written, or that it is gone.
type write struct {
	key     string
	obj     any
	uid     types.UID
	version string
	gone    bool
}

// metadata is what a MutationCache has to know of an object.
type metadata interface {
	GetUID() types.UID
	GetResourceVersion() string
}

// writeOf is obj as a write.
func writeOf(obj any) (*write, error) {
	of, err := metadataOf[metadata](obj)
	if err != nil {
		return nil, err
	}
	key, err := MetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, err
	}
	return &write{key: key, obj: obj, uid: of.GetUID(), version: of.GetResourceVersion()}, nil
}

// orderOf is the order of two versions, and whether they have one. No version, or
// 0, is older than any.
func orderOf(a, b string) (order int, ok bool) {
	before, after := a == "" || a == "0", b == "" || b == "0"
	switch {
	case a == b, before && after:
		return 0, true
	case before:
		return -1, true
	case after:
		return 1, true
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return order, err == nil
}

// known is the write that is remembered under key. It is called with mu held.
func (c *mutationCache) known(key string) (w *write, ok bool) {
	found, ok := c.written.Get(key)
	if !ok {
		return nil, false
	}
	return found.(*write), true
}

func (c *mutationCache) look(key string) (w *write, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known(key)
}

func (c *mutationCache) GetByKey(key string) (any, bool, error) { return c.getFrom(c.backing, key) }

// getFrom looks at the writes first: what is forgotten after that has come into
// the store before, and what the store has then is not older than what was found
// earlier.
func (c *mutationCache) getFrom(store Store, key string) (any, bool, error) {
	w, written := c.look(key)
	if store == nil {
		return nil, false, fmt.Errorf("looking for %q: %w", key, errNoBackingStore)
	}
	obj, exists, err := store.GetByKey(key)
	switch {
	case err != nil:
		return nil, false, err
	case exists && written && c.overtakes(w, obj):
		return w.obj, true, nil
	case exists:
		return obj, true, nil
	case c.includeAdds && written && !w.gone:
		return w.obj, true, nil
	}
	return nil, false, nil
}

// overtakes reports whether what was written is newer than stored, which is what
// a Store has under the key of w. If stored is as new, w is forgotten.
func (c *mutationCache) overtakes(w *write, stored any) bool {
	of, err := metadataOf[versioner](stored)
	if err != nil {
		return false
	}
	if order, ok := orderOf(of.GetResourceVersion(), w.version); !ok || order >= 0 {
		c.forget(w)
		return false
	}
	return !w.gone
}

// forget forgets w, unless there is another write by now.
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
		writes = c.remembered() // before the indexer is asked, as in getFrom
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

// addsByIndex is what of the writes, each in its newer form, the index has or would
// have under a value, without those under one of the keys. The indexer is asked for
// each once more: it may have got what was written since it was asked for the keys.
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
		if exists && !c.overtakes(w, stored) {
			obj = stored
		}
		values, err := valuesOf(obj)
		if err != nil {
			c.logger.V(4).Info("An index function failed on an object that was written", "index", indexName, "key", w.key, "err", err)
			continue
		}
		if slices.Contains(values, indexKey) {
			items = append(items, obj)
		}
	}
	return items, nil
}

// remembered is what was written and is not known to be gone.
func (c *mutationCache) remembered() (writes []*write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Least recently used first: that all are looked at leaves their order.
	for _, key := range c.written.Keys() {
		if w, ok := c.known(key.(string)); ok && !w.gone {
			writes = append(writes, w)
		}
	}
	return writes
}

func (c *mutationCache) Mutation(obj any) {
	w, err := writeOf(obj)
	if err != nil {
		c.logger.Error(err, "A write is not remembered")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.known(w.key); ok && !w.replaces(before) {
		return
	}
	c.written.Add(w.key, w, c.ttl)
}

// replaces reports whether w is news to who knows before. The same object twice
// is: the second one may be changed by its owner, as the first one may not.
func (w *write) replaces(before *write) bool {
	order, ok := orderOf(w.version, before.version)
	if ok && order < 0 {
		return false
	}
	return !before.gone || w.uid != before.uid && (!ok || order > 0)
}

func (c *mutationCache) OnAddOrUpdate(obj runtime.Object) {
	w, err := writeOf(obj)
	if err != nil {
		c.logger.Error(err, "What has come into the store is not compared with what was written")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before, ok := c.known(w.key)
	if !ok {
		return
	}
	if order, ok := orderOf(w.version, before.version); !ok || order >= 0 {
		c.written.Remove(w.key)
	}
}

func (c *mutationCache) OnDelete(obj runtime.Object) {
	w, err := writeOf(obj)
	if err != nil {
		c.logger.Error(err, "What has left the store is not compared with what was written")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.known(w.key); ok && before.uid != w.uid {
		if order, ok := orderOf(w.version, before.version); !ok || order < 0 {
			return // another of that name, which may still be there
		}
	}
	w.obj, w.gone = nil, true
	c.written.Add(w.key, w, c.ttl)
}

func (c *mutationCache) internal() {}
