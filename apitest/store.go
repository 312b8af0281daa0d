package apitest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// errMoved: another write came between; read again and try again.
var errMoved = errors.New("the object has changed meanwhile")

// tooOld is a version of which the history is no longer known, tooNew one that
// has not been given out yet.
type (
	tooOld struct{ asked, oldest uint64 }
	tooNew struct{ asked, newest uint64 }
)

func (e tooOld) Error() string {
	return fmt.Sprintf("too old resource version: %d (%d)", e.asked, e.oldest)
}
func (e tooNew) Error() string {
	return fmt.Sprintf("too large resource version: %d, current: %d", e.asked, e.newest)
}

// key is where an object is in its table. Tables are ordered by it.
type key struct{ namespace, name string }

// record is one state of one object. Nothing in it changes.
type record struct {
	key
	version uint64
	// raw is the object in JSON, in the form of a draft, with this version. A
	// deleted record has the last state, with the version of the deletion.
	raw     []byte
	deleted bool
}

// store holds every object of a server under one version counter: what etcd is
// to the real one. It knows nothing of HTTP, kinds or rules. What it hands out
// is not to be changed.
type store struct {
	// history is how many changes a table remembers; negative is all.
	history int

	mu      sync.RWMutex
	version uint64 // the last that was given out
	tables  map[schema.GroupResource]*table
}

func newStore(history int) *store {
	return &store{history: history, version: 1, tables: map[schema.GroupResource]*table{}}
}

// current is the last version that was given out.
func (s *store) current() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// table of a resource, which is made when it is asked for first.
func (s *store) table(of schema.GroupResource) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[of]
	if t == nil {
		t = &table{store: s, wake: make(chan struct{}), rows: map[key][]*record{}}
		s.tables[of] = t
	}
	return t
}

// compact forgets what is older than version: lists and watches of before get
// tooOld.
func (s *store) compact(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.forget(version)
	}
}

// table holds the objects of one resource, all their remembered states, and the
// changes in order. It is guarded by the store's mu.
type table struct {
	store *store
	rows  map[key][]*record // oldest first
	keys  []key             // in order
	log   []change          // oldest first
	// floor is the oldest version that can be asked for.
	floor uint64
	// wake is closed, and replaced, when something is added to log.
	wake chan struct{}
}

// change is one step of an object: was is nil for a creation.
type change struct{ now, was *record }

// get is the object's present state, nil if there is none.
func (t *table) get(k key) *record {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.newest(k)
}

func (t *table) newest(k key) *record {
	if row := t.rows[k]; len(row) > 0 && !row[len(row)-1].deleted {
		return row[len(row)-1]
	}
	return nil
}

// span is which part of a table is asked for.
type span struct {
	namespace string // "" is all
	after     *key   // only what comes after it in order
	at        uint64 // the version; 0 is the present
	limit     int    // 0 is none
}

// list is the records of a span in order, how many follow beyond the limit, and
// the version at which this was so. It fails with tooOld and tooNew.
func (t *table) list(of span) (found []*record, left int, at uint64, err error) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	at = of.at
	switch {
	case at == 0:
		at = t.store.version
	case at > t.store.version:
		return nil, 0, 0, tooNew{asked: at, newest: t.store.version}
	case at < t.floor:
		return nil, 0, 0, tooOld{asked: at, oldest: t.floor}
	}
	for _, k := range t.keys {
		if of.namespace != "" && k.namespace != of.namespace || of.after != nil && compareKeys(k, *of.after) <= 0 {
			continue
		}
		row := t.rows[k]
		for i := len(row) - 1; i >= 0; i-- {
			if row[i].version > at {
				continue
			}
			if !row[i].deleted {
				if of.limit > 0 && len(found) == of.limit {
					left++
				} else {
					found = append(found, row[i])
				}
			}
			break
		}
	}
	return found, left, at, nil
}

// commit stores next as the state after was, nil for none, and gives it the
// next version. It fails with errMoved when was is not the present state.
func (t *table) commit(k key, was *record, next draft) (*record, error) {
	return t.append(k, was, next, false)
}

// remove deletes the object of which was is the present state; last is its
// final state.
func (t *table) remove(k key, was *record, last draft) (*record, error) {
	return t.append(k, was, last, true)
}

func (t *table) append(k key, was *record, next draft, deleted bool) (*record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.newest(k) != was {
		return nil, errMoved
	}
	t.store.version++
	now := &record{key: k, version: t.store.version, raw: next.at(t.store.version), deleted: deleted}
	if at, known := slices.BinarySearchFunc(t.keys, k, compareKeys); !known {
		t.keys = slices.Insert(t.keys, at, k)
	}
	t.rows[k] = append(t.rows[k], now)
	t.log = append(t.log, change{now: now, was: was})
	close(t.wake)
	t.wake = make(chan struct{})
	return now, nil
}

// forget drops the states that were replaced before version.
func (t *table) forget(version uint64) {
	t.floor = max(t.floor, version)
	t.log = slices.DeleteFunc(t.log, func(c change) bool { return c.now.version <= version })
}

func compareKeys(a, b key) int {
	if a.namespace != b.namespace {
		if a.namespace < b.namespace {
			return -1
		}
		return 1
	}
	switch {
	case a.name < b.name:
		return -1
	case a.name > b.name:
		return 1
	}
	return 0
}
