package apitest

import (
	"iter"
	"slices"

	"k8s.io/utils/third_party/forked/golang/btree"
)

// rows is the records of a table in order. A clone costs nothing until one of
// the two is changed.
type rows = btree.BTree[*record]

func newRows() *rows {
	const degree = 32
	return btree.New(degree, func(a, b *record) bool { return compareKeys(a.key, b.key) < 0 })
}

// snapshot is a table at one version. Nothing in it changes, so that it is read
// without a lock.
type snapshot struct {
	rows *rows
	at   uint64
}

// records of a namespace, "" for all, in order: from a key on if there is one,
// without it if only those after it are asked for.
func (s *snapshot) records(namespace string, from *key, after bool) iter.Seq[*record] {
	first := &record{key: key{namespace: namespace}}
	if from != nil && compareKeys(*from, first.key) > 0 {
		first.key = *from
	}
	return func(yield func(*record) bool) {
		s.rows.AscendGreaterOrEqual(first, func(r *record) bool {
			switch {
			case namespace != "" && r.namespace != namespace:
				return false
			case after && from != nil && r.key == *from:
				return true
			}
			return yield(r)
		})
	}
}

// get is one object, nil if it is not there.
func (s *snapshot) get(k key) *record {
	found, _ := s.rows.Get(&record{key: k})
	return found
}

// all are the present records of a namespace, "" for every one, in order.
func (t *table) all(namespace string) []*record {
	t.store.mu.Lock()
	present := t.now()
	t.store.mu.Unlock()
	return slices.Collect(present.records(namespace, nil, false))
}

// at is the table at a version, 0 for the present. It fails with tooOld and
// tooNew.
func (t *table) at(version uint64) (*snapshot, error) {
	t.store.mu.Lock()
	if version == 0 || version == t.store.version {
		defer t.store.mu.Unlock()
		return t.now(), nil
	}
	if err := t.remembers(version); err != nil {
		t.store.mu.Unlock()
		return nil, err
	}
	past := &snapshot{rows: t.rows.Clone(), at: version}
	var later []change
	for i := t.history.after(version); i < t.history.count; i++ {
		later = append(later, *t.history.at(i))
	}
	t.store.mu.Unlock()
	// Taking the changes back may take time, and is done on a copy.
	for i := len(later) - 1; i >= 0; i-- {
		takeBack(past.rows, later[i])
	}
	return past, nil
}

// now is the table as it is. The store's mu is held.
func (t *table) now() *snapshot {
	if t.present == nil {
		t.present = &snapshot{rows: t.rows.Clone()}
	}
	return &snapshot{rows: t.present.rows, at: t.store.version}
}

// look is what the tables of resources hold at one version.
func (s *store) look(at []*resource) (found []*snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, res := range at {
		found = append(found, res.table.now())
	}
	return found
}

// takeBack makes rows what they were before a change.
func takeBack(rows *rows, c change) {
	if c.was != nil {
		rows.ReplaceOrInsert(c.was)
	} else {
		rows.Delete(c.now)
	}
}
