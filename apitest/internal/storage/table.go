package storage

import (
	"strings"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// Table holds the objects of one resource and the changes that led to them. It
// is guarded by the store's mu.
type Table struct {
	store *Store
	rows  *rows
	// current is a clone of rows that readers share; nil after a change.
	current *Snapshot
	history history
	// createdAt is the version at which the table was created. Lists may be of
	// earlier versions, and are empty; watches may not, since the real server
	// starts to watch a resource when it starts to serve it.
	createdAt uint64
	// namespaces that have existed, so that their records share one string.
	namespaces map[string]string
	// changed is raised with each change, and when followers end.
	changed Signal
	// notifiers are notified whenever changed is raised.
	notifiers map[Notifier]struct{}
	// epoch is incremented when followers end.
	epoch   int
	dropped bool
}

// newTable returns a table without history up to a version.
func newTable(store *Store, unknown uint64) *Table {
	return &Table{
		store: store, rows: newRows(), createdAt: store.version, history: history{maxChanges: store.maxChanges, maxBytes: store.maxBytes, dropped: unknown},
		namespaces: map[string]string{}, notifiers: map[Notifier]struct{}{},
	}
}

// Get returns the current state of an object, nil if there is none.
func (t *Table) Get(k Key) *Record {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.lookup(k)
}

func (t *Table) lookup(k Key) *Record {
	found, _ := t.rows.Get(&Record{Key: k})
	return found
}

// Commit stores next in place of old, which is nil for a new object, and assigns
// the next version. It fails with ErrConflict if old is not the current state,
// and with ErrDropped if the table was removed.
func (t *Table) Commit(k Key, old *Record, next objects.Draft) (*Record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.put(k, old, next)
}

// Create is [Table.Commit] for a new object in a namespace. It fails with
// ErrNamespaceChanged if namespace is not the current record in namespaces, so
// that no object is created in a namespace that is being deleted. A nil
// namespace is not checked.
func (t *Table) Create(k Key, next objects.Draft, namespaces *Table, namespace *Record) (*Record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if namespace != nil && namespaces.lookup(namespace.Key) != namespace {
		return nil, ErrNamespaceChanged
	}
	return t.put(k, nil, next)
}

func (t *Table) put(k Key, old *Record, next objects.Draft) (*Record, error) {
	if err := t.checkCurrent(k, old); err != nil {
		return nil, err
	}
	if old != nil {
		k = old.Key // reuse the strings
	} else {
		k = t.intern(k)
	}
	now := NewRecord(k, next, t.store.version+1)
	t.rows.ReplaceOrInsert(now)
	t.recordChange(Change{New: now, Old: old})
	return now, nil
}

// Remove deletes the object whose current state is old. It returns the state
// for watches, with the version of the deletion.
func (t *Table) Remove(old *Record) (*Record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if err := t.checkCurrent(old.Key, old); err != nil {
		return nil, err
	}
	now := old.WithVersion(t.store.version + 1)
	now.Deleted = true
	t.rows.Delete(old)
	t.recordChange(Change{New: now, Old: old})
	return now, nil
}

func (t *Table) checkCurrent(k Key, old *Record) error {
	switch {
	case t.dropped:
		return ErrDropped
	case t.lookup(k) != old:
		return ErrConflict
	}
	return nil
}

// intern returns a key that shares no memory with its source, such as a
// request.
func (t *Table) intern(k Key) Key {
	namespace, known := t.namespaces[k.Namespace]
	if !known {
		namespace = strings.Clone(k.Namespace)
		t.namespaces[namespace] = namespace
	}
	return Key{Namespace: namespace, Name: strings.Clone(k.Name)}
}

func (t *Table) recordChange(c Change) {
	t.store.version = c.New.Version
	t.current = nil
	t.history.add(c)
	t.wake()
	t.store.moved.Raise()
}

// checkKnown fails with TooOld or TooNew unless the table at this version, and
// the changes after it, are known.
func (t *Table) checkKnown(version uint64) error {
	oldest := max(t.store.compacted, t.history.dropped)
	switch {
	case version > t.store.version:
		return TooNew{Asked: version, Newest: t.store.version}
	case version < oldest:
		return TooOld{asked: version, Oldest: oldest}
	}
	return nil
}

// rewind undoes the changes after a known version.
func (t *Table) rewind(version uint64) {
	for t.history.count > 0 && t.history.at(t.history.count-1).New.Version > version {
		undoChange(t.rows, t.history.undo())
	}
	t.current = nil
	t.createdAt = min(t.createdAt, version)
	t.endFollowers()
}

func (t *Table) endFollowers() {
	t.epoch++
	t.wake()
}

// wake wakes all goroutines that wait for changes.
func (t *Table) wake() {
	t.changed.Raise()
	for b := range t.notifiers {
		b.Notify()
	}
}

// IsDropped reports whether the table was removed.
func (t *Table) IsDropped() bool {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.dropped
}
