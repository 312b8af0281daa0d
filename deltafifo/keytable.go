package deltafifo

import "hash/maphash"

// A keyState is the state of a key while deltas of it are queued or being
// processed.
type keyState[T any] struct {
	key  string
	hash uint64
	// nextInBucket is the next state in the same hash bucket.
	nextInBucket *keyState[T]

	// first and last are the ends of the key's chain in the log; nil when no
	// delta of the key is queued.
	first, last *node[T]
	// inProgress is the newest delta of the key that is being processed. It is
	// kept until the process function has returned, because only then the
	// consumer's store has it. nil: no delta of the key is being processed.
	inProgress *node[T]
	// owner is the delivery of inProgress.
	owner *delivery[T]
}

// newest returns the delta that determines the key's state after all are
// processed.
func (s *keyState[T]) newest() *node[T] {
	if s.last != nil {
		return s.last
	}
	return s.inProgress
}

// A keyTable maps keys to their states. It is a separate hash table because a
// key is inserted and removed with each delta: it hashes a key once per
// insertion, allocates nothing, and shrinks when it empties, unlike a Go map.
type keyTable[T any] struct {
	seed       maphash.Seed
	buckets    []*keyState[T] // its length is a power of two
	states     int
	freeStates freeList[keyState[T]]
}

const (
	// firstBuckets is the number of buckets of a new table. It is small, since an
	// informer of many namespaces has a table for each of them.
	firstBuckets = 64
	// minBuckets is the number of buckets below which a table does not shrink.
	minBuckets = 1024
)

func newKeyTable[T any]() keyTable[T] {
	return keyTable[T]{seed: maphash.MakeSeed(), buckets: make([]*keyState[T], firstBuckets)}
}

// A slot is the result of looking up a key; state is nil if the key has none.
type slot[T any] struct {
	key   string
	hash  uint64
	state *keyState[T]
}

func (t *keyTable[T]) find(key string) slot[T] {
	hash := maphash.String(t.seed, key)
	s := t.buckets[hash&uint64(len(t.buckets)-1)]
	for s != nil && (s.hash != hash || s.key != key) {
		s = s.nextInBucket
	}
	return slot[T]{key: key, hash: hash, state: s}
}

// fill inserts a state for the slot.
func (t *keyTable[T]) fill(slot *slot[T]) {
	if t.states >= len(t.buckets) {
		t.resize(2 * len(t.buckets))
	}
	s := t.freeStates.get()
	s.key, s.hash = slot.key, slot.hash
	bucket := &t.buckets[s.hash&uint64(len(t.buckets)-1)]
	s.nextInBucket, *bucket = *bucket, s
	t.states++
	slot.state = s
}

func (t *keyTable[T]) remove(s *keyState[T]) {
	link := &t.buckets[s.hash&uint64(len(t.buckets)-1)]
	for *link != s {
		link = &(*link).nextInBucket
	}
	*link = s.nextInBucket
	t.states--
	*s = keyState[T]{}
	t.freeStates.put(s)
	if len(t.buckets) > minBuckets && t.states < len(t.buckets)/16 {
		t.resize(max(len(t.buckets)/4, minBuckets))
	}
}

func (t *keyTable[T]) resize(buckets int) {
	old := t.buckets
	t.buckets = make([]*keyState[T], buckets)
	for _, s := range old {
		for s != nil {
			next := s.nextInBucket
			bucket := &t.buckets[s.hash&uint64(len(t.buckets)-1)]
			s.nextInBucket, *bucket = *bucket, s
			s = next
		}
	}
}
