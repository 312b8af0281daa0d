package designs

import (
	"sync"
	"sync/atomic"
)

// pins says which versions have readers.
type pins struct {
	mu      sync.Mutex
	readers map[uint64]int
	// known is what oldest returned last: the writer's.
	known uint64
}

// pin takes the newest version. The lock makes it one step for the writer: it
// sees the pin, or has not yet thrown away what the pin is for.
func (p *pins) pin(newest *atomic.Uint64) (version uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readers == nil {
		p.readers = map[uint64]int{}
	}
	version = newest.Load()
	p.readers[version]++
	return version
}

func (p *pins) unpin(version uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readers[version]--; p.readers[version] == 0 {
		delete(p.readers, version)
	}
}

// oldest is the version that no reader is behind, nor ever will be.
func (p *pins) oldest(newest *atomic.Uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = newest.Load()
	for version := range p.readers {
		p.known = min(p.known, version)
	}
	return p.known
}

// oldestKnown is a version that no reader is behind, from some time ago.
func (p *pins) oldestKnown() uint64 { return p.known }

// shards is a map that any number of goroutines may read while one writes. A
// reader waits for at most one look-up of another goroutine.
type shards[V any] struct {
	shards [256]struct {
		mu     sync.RWMutex
		values map[string]*V
		_      [32]byte // one shard a cache line
	}
}

func (m *shards[V]) init() {
	for i := range m.shards {
		m.shards[i].values = map[string]*V{}
	}
}

func (m *shards[V]) get(key string, h uint64) *V {
	shard := &m.shards[h%256]
	shard.mu.RLock()
	defer shard.mu.RUnlock()
	return shard.values[key]
}

func (m *shards[V]) set(key string, h uint64, value *V) {
	shard := &m.shards[h%256]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	shard.values[key] = value
}

// remove takes out the key if it still leads to that value.
func (m *shards[V]) remove(key string, h uint64, value *V) {
	shard := &m.shards[h%256]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if shard.values[key] == value {
		delete(shard.values, key)
	}
}
