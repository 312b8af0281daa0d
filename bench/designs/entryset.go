package designs

import (
	"iter"
	"math"
	"sync/atomic"

	"github.com/thinformer/thinformer/bench/corpus"
)

// entrySet is the records that an index has under one value, or that the store
// has at all, with the versions from and up to which they are in it.
type entrySet struct {
	value string
	// block is replaced by a larger or a cleaner one; a reader stays with the
	// one it began with, in which later versions change nothing that it sees.
	block atomic.Pointer[entryBlock]
	// The writer's: how many are in the newest version, and which version left
	// none, last.
	alive   uint32
	emptied uint64
}

// entryBlock is changed by the writer in two ways: behind n, and from alive to
// dead.
type entryBlock struct {
	n       atomic.Uint32
	entries []entry
}

type entry struct {
	record *record
	born   uint64
	died   atomic.Uint64 // forever as long as it lives
}

const forever = math.MaxUint64

func (s *entrySet) each(version uint64, yield func(*corpus.Object) bool) {
	b := s.block.Load()
	if b == nil {
		return
	}
	entries := b.entries[:b.n.Load()]
	for i := range entries {
		if e := &entries[i]; e.born <= version && version < e.died.Load() {
			if st, _ := e.record.stateAt(version); !yield(st.object) {
				return
			}
		}
	}
}

// living yields the records that the newest version has, to the writer.
func (s *entrySet) living() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		b := s.block.Load()
		if b == nil {
			return
		}
		for i := range b.n.Load() {
			if b.entries[i].died.Load() == forever && !yield(b.entries[i].record) {
				return
			}
		}
	}
}

// push adds a record, and returns its place. i is which of the record's sets
// this is.
func (s *entrySet) push(r *record, i int, version uint64, pins *pins) uint32 {
	b := s.block.Load()
	if b == nil || int(b.n.Load()) == len(b.entries) {
		b = s.moved(b, i, pins)
		s.block.Store(b)
	}
	at := b.n.Load()
	e := &b.entries[at]
	e.record, e.born = r, version
	e.died.Store(forever)
	b.n.Store(at + 1)
	s.alive++
	return at
}

// moved is a block with the entries of another block that a reader can still see, and with
// free entries.
func (s *entrySet) moved(from *entryBlock, i int, pins *pins) *entryBlock {
	to := &entryBlock{entries: make([]entry, max(4, s.alive+s.alive/2))}
	if from == nil {
		return to
	}
	oldest := pins.oldestKnown()
	n := uint32(0)
	for j := range from.entries {
		e := &from.entries[j]
		died := e.died.Load()
		if died <= oldest {
			continue
		}
		if int(n) == len(to.entries) {
			to.entries = append(to.entries, make([]entry, n)...)
		}
		moved := &to.entries[n]
		moved.record, moved.born = e.record, e.born
		moved.died.Store(died)
		if died == forever {
			e.record.at[i] = n
		}
		n++
	}
	if int(n) == len(to.entries) {
		to.entries = append(to.entries, make([]entry, max(n, 4))...)
	}
	to.n.Store(n)
	return to
}

// kill ends an entry.
func (s *entrySet) kill(at uint32, version uint64) {
	s.block.Load().entries[at].died.Store(version)
	if s.alive--; s.alive == 0 {
		s.emptied = version
	}
}
