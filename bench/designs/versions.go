package designs

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/bench/corpus"
)

// versions keeps the states of each object in a chain, newest first, each with
// the number of the version that it was born in; index entries have the versions
// that they were born and died in. To publish is to raise one number. A reader
// goes by the number that it began with.
//
// It keeps the promise of consistent answers, and an update that leaves the
// values alone writes one small state. It costs:
//   - Readers must pin the version that they iterate over, and unpin it. A reader
//     that does not unpin, or that is blocked, makes the store keep every state of
//     every object from then on, not only those that the reader can still reach.
//   - Pins and the map of keys have locks, though each is held for one look-up
//     only. A Get that the writer has overtaken begins anew.
//   - Each object that is yielded is at the end of a walk: entry, record, state.
//   - The dead have to be found and buried, by a writer, in later writes.
type versions struct {
	// version is the newest that readers may pin.
	version atomic.Uint64
	pins    pins
	records shards[record]
	all     entrySet
	indexes [indexCount]shards[entrySet]

	// mu makes writers take turns. What follows is theirs.
	mu sync.Mutex
	// graves are records and sets, by version. Once every pin is at or behind their
	// version, they have states that no reader can see.
	graves []grave
	buried int // of graves
}

// record is the place of one object, as long as any version has it.
type record struct {
	key  string
	head atomic.Pointer[state]
	// The sets of the newest state and its positions in them, for the writer.
	sets [indexCount + 1]*entrySet
	at   [indexCount + 1]uint32
}

// state is what a record was from a version on; object is nil if it was deleted.
type state struct {
	object *corpus.Object
	born   uint64
	older  atomic.Pointer[state]
}

type grave struct {
	version uint64
	record  *record
	set     *entrySet
	index   int
}

// NewVersions is versioned entries.
func NewVersions() Design {
	s := new(versions)
	s.records.init()
	for i := range s.indexes {
		s.indexes[i].init()
	}
	return s
}

// stateAt returns the state that version sees. known is false if the writer has
// buried it, which happens only if the version is not pinned.
func (r *record) stateAt(version uint64) (st *state, known bool) {
	for st = r.head.Load(); st != nil; st = st.older.Load() {
		if st.born <= version {
			return st, true
		}
	}
	return nil, false
}

func (s *versions) Get(key string) (*corpus.Object, bool) {
	h := hashOf(key)
	for {
		version := s.version.Load()
		r := s.records.get(key, h)
		if r == nil {
			return nil, false
		}
		if st, known := r.stateAt(version); known {
			return st.object, st.object != nil
		}
		if version == s.version.Load() {
			return nil, false // it is being born
		}
	}
}

func (s *versions) All() iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) {
		version := s.pins.pin(&s.version)
		defer s.pins.unpin(version)
		s.all.each(version, yield)
	}
}

func (s *versions) Find(index int, value string) iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) {
		version := s.pins.pin(&s.version)
		defer s.pins.unpin(version)
		if set := s.indexes[index].get(value, hashOf(value)); set != nil {
			set.each(version, yield)
		}
	}
}

// write makes what change does the next version.
func (s *versions) write(change func(version uint64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.version.Load() + 1
	change(next)
	s.version.Store(next)
	s.bury()
}

func (s *versions) Add(o *corpus.Object) {
	key, v := keyOf(o), valuesOf(o)
	s.write(func(version uint64) { s.put(key, o, v, version) })
}

func (s *versions) Update(o *corpus.Object) { s.Add(o) }

func (s *versions) Delete(o *corpus.Object) {
	key := keyOf(o)
	s.write(func(version uint64) {
		if r := s.records.get(key, hashOf(key)); r != nil {
			s.remove(r, version)
		}
	})
}

func (s *versions) Batch(objects []*corpus.Object) {
	s.write(func(version uint64) { s.putAll(objects, version) })
}

func (s *versions) Replace(objects []*corpus.Object) {
	s.write(func(version uint64) {
		s.putAll(objects, version)
		stays := make(map[string]struct{}, len(objects))
		for _, o := range objects {
			stays[keyOf(o)] = struct{}{}
		}
		for r := range s.all.living() {
			if _, ok := stays[r.key]; !ok {
				s.remove(r, version)
			}
		}
	})
}

func (s *versions) putAll(objects []*corpus.Object, version uint64) {
	for _, o := range objects {
		s.put(keyOf(o), o, valuesOf(o), version)
	}
}

func (s *versions) put(key string, o *corpus.Object, v values, version uint64) {
	h := hashOf(key)
	r := s.records.get(key, h)
	if r == nil {
		r = &record{key: key}
		s.records.set(key, h, r)
	}
	s.push(r, o, version)
	if r.sets[indexCount] == nil {
		s.file(r, indexCount, &s.all, version)
	}
	for i := range v {
		set := r.sets[i]
		if set != nil && set.value == v[i] {
			continue
		}
		if set != nil {
			s.unfile(r, i, version)
		}
		hv := hashOf(v[i])
		if set = s.indexes[i].get(v[i], hv); set == nil {
			set = &entrySet{value: v[i]}
			s.indexes[i].set(v[i], hv, set)
		}
		s.file(r, i, set, version)
	}
}

func (s *versions) remove(r *record, version uint64) {
	if r.sets[indexCount] == nil {
		return // it is deleted already
	}
	s.push(r, nil, version)
	for i := range r.sets {
		s.unfile(r, i, version)
	}
}

// push puts a state before the others.
func (s *versions) push(r *record, o *corpus.Object, version uint64) {
	st := &state{object: o, born: version}
	older := r.head.Load()
	st.older.Store(older)
	r.head.Store(st)
	if older != nil {
		s.graves = append(s.graves, grave{version: version, record: r})
	}
}

func (s *versions) file(r *record, i int, set *entrySet, version uint64) {
	r.sets[i], r.at[i] = set, set.push(r, i, version, &s.pins)
}

func (s *versions) unfile(r *record, i int, version uint64) {
	set := r.sets[i]
	r.sets[i] = nil
	if set.kill(r.at[i], version); set.alive == 0 && i < indexCount {
		s.graves = append(s.graves, grave{version: version, set: set, index: i})
	}
}

// bury takes away what no reader can see any more.
func (s *versions) bury() {
	if len(s.graves) == 0 {
		return
	}
	oldest := s.pins.oldest(&s.version)
	for s.buried < len(s.graves) && s.graves[s.buried].version <= oldest {
		switch g := s.graves[s.buried]; {
		case g.record != nil:
			s.cut(g.record, oldest)
		case g.set.alive == 0 && g.set.emptied == g.version:
			s.indexes[g.index].remove(g.set.value, hashOf(g.set.value), g.set)
		}
		s.buried++
	}
	switch {
	case s.buried == len(s.graves) && s.buried > 1000:
		s.graves, s.buried = nil, 0 // release the memory of a Replace
	case 2*s.buried >= len(s.graves):
		s.graves = slices.Delete(s.graves, 0, s.buried)
		s.buried = 0
	}
}

// cut takes away the states of a record that are older than the one that the
// oldest reader sees, and all of the record if that is its end.
func (s *versions) cut(r *record, oldest uint64) {
	st, _ := r.stateAt(oldest)
	st.older.Store(nil)
	if st.object == nil && st == r.head.Load() {
		s.records.remove(r.key, hashOf(r.key), r)
	}
}
