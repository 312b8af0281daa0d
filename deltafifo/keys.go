package deltafifo

import "hash/maphash"

// A keyState is what the queue holds on a key. It exists while something of the
// key is queued or being processed.
type keyState[T any] struct {
	key  string
	hash uint64
	// link is the next state in the same bucket.
	link *keyState[T]

	// first and last are the ends of the key's chain in the log; nil when
	// nothing of it is queued.
	first, last *node[T]
	// working is the newest of the key's deltas that are being processed. It
	// stays until the process function has returned, because only then does
	// the consumer's store have it. nil: the key is free.
	working *node[T]
	// owner is the handout that working belongs to.
	owner *handout[T]
}

// newest returns the delta that tells the key's state once all is processed.
func (s *keyState[T]) newest() *node[T] {
	if s.last != nil {
		return s.last
	}
	return s.working
}

// A keyTable finds the state of a key. It is a hash table of its own, because a
// key comes and goes with each delta: chained through the states it hashes a
// key once in that life, allocates nothing, and gives memory back when it
// empties, which a Go map does not.
type keyTable[T any] struct {
	seed    maphash.Seed
	buckets []*keyState[T] // a power of two of them
	states  int
	spares  freeList[keyState[T]]
}

// smallTable is the number of buckets below which a table does not shrink.
const smallTable = 1024

func newKeyTable[T any]() keyTable[T] {
	return keyTable[T]{seed: maphash.MakeSeed(), buckets: make([]*keyState[T], smallTable)}
}

// A slot is the place of a key in the table; state is nil while it has none.
type slot[T any] struct {
	key   string
	hash  uint64
	state *keyState[T]
}

func (t *keyTable[T]) find(key string) slot[T] {
	hash := maphash.String(t.seed, key)
	s := t.buckets[hash&uint64(len(t.buckets)-1)]
	for s != nil && (s.hash != hash || s.key != key) {
		s = s.link
	}
	return slot[T]{key: key, hash: hash, state: s}
}

// fill gives the slot a state.
func (t *keyTable[T]) fill(at *slot[T]) {
	if t.states >= len(t.buckets) {
		t.resize(2 * len(t.buckets))
	}
	s := t.spares.get()
	s.key, s.hash = at.key, at.hash
	bucket := &t.buckets[s.hash&uint64(len(t.buckets)-1)]
	s.link, *bucket = *bucket, s
	t.states++
	at.state = s
}

func (t *keyTable[T]) remove(s *keyState[T]) {
	at := &t.buckets[s.hash&uint64(len(t.buckets)-1)]
	for *at != s {
		at = &(*at).link
	}
	*at = s.link
	t.states--
	*s = keyState[T]{}
	t.spares.put(s)
	if len(t.buckets) > smallTable && t.states < len(t.buckets)/16 {
		t.resize(len(t.buckets) / 4)
	}
}

func (t *keyTable[T]) resize(buckets int) {
	old := t.buckets
	t.buckets = make([]*keyState[T], max(buckets, smallTable))
	for _, s := range old {
		for s != nil {
			next := s.link
			bucket := &t.buckets[s.hash&uint64(len(t.buckets)-1)]
			s.link, *bucket = *bucket, s
			s = next
		}
	}
}
