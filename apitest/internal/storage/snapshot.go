package storage

import (
	"iter"
	"slices"

	"k8s.io/utils/third_party/forked/golang/btree"
)

// rows are the records of a table in order. A clone shares its nodes until one
// of the two changes.
type rows = btree.BTree[*Record]

func newRows() *rows {
	const degree = 32
	return btree.New(degree, func(a, b *Record) bool { return compareKeys(a.Key, b.Key) < 0 })
}

// Snapshot is a table at one version. It is immutable, and read without a lock.
type Snapshot struct {
	rows    *rows
	Version uint64
}

// Records iterates over the records of a namespace, "" for all, in order. It
// begins at from, if set; with after, it excludes from.
func (s *Snapshot) Records(namespace string, from *Key, after bool) iter.Seq[*Record] {
	first := &Record{Key: Key{Namespace: namespace}}
	if from != nil && compareKeys(*from, first.Key) > 0 {
		first.Key = *from
	}
	return func(yield func(*Record) bool) {
		s.rows.AscendGreaterOrEqual(first, func(r *Record) bool {
			switch {
			case namespace != "" && r.Namespace != namespace:
				return false
			case after && from != nil && r.Key == *from:
				return true
			}
			return yield(r)
		})
	}
}

// Get returns one object, nil if it does not exist.
func (s *Snapshot) Get(k Key) *Record {
	found, _ := s.rows.Get(&Record{Key: k})
	return found
}

// All returns the current records of a namespace, "" for all, in order.
func (t *Table) All(namespace string) []*Record {
	t.store.mu.Lock()
	current := t.now()
	t.store.mu.Unlock()
	return slices.Collect(current.Records(namespace, nil, false))
}

// At returns the table at a version; 0 is the current version. It fails with TooOld
// and TooNew.
func (t *Table) At(version uint64) (*Snapshot, error) {
	t.store.mu.Lock()
	if version == 0 || version == t.store.version {
		defer t.store.mu.Unlock()
		return t.now(), nil
	}
	if err := t.checkKnown(version); err != nil {
		t.store.mu.Unlock()
		return nil, err
	}
	past := &Snapshot{rows: t.rows.Clone(), Version: version}
	var later []Change
	for i := t.history.after(version); i < t.history.count; i++ {
		later = append(later, *t.history.at(i))
	}
	t.store.mu.Unlock()
	// Undoing the changes may take time. It is done on a copy, without the lock.
	for i := len(later) - 1; i >= 0; i-- {
		undoChange(past.rows, later[i])
	}
	return past, nil
}

// now returns the current table. The store's mu is held.
func (t *Table) now() *Snapshot {
	if t.current == nil {
		t.current = &Snapshot{rows: t.rows.Clone()}
	}
	return &Snapshot{rows: t.current.rows, Version: t.store.version}
}

// undoChange restores rows to their state before a change.
func undoChange(rows *rows, c Change) {
	if c.Old != nil {
		rows.ReplaceOrInsert(c.Old)
	} else {
		rows.Delete(c.New)
	}
}

// Snapshots returns tables at one version.
func (s *Store) Snapshots(tables []*Table) (found []*Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tables {
		found = append(found, t.now())
	}
	return found
}
