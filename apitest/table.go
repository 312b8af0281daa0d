package apitest

import "strings"

// table holds the objects of one resource and the changes that led to them. It
// is guarded by the store's mu.
type table struct {
	store *store
	rows  *rows
	// present is a clone of rows that readers share; nil after a change.
	present *snapshot
	history history
	// born is the version at which the table was made. Lists can be of before, and
	// are empty; watches cannot, as the real server begins to look at a resource
	// when it begins to serve it.
	born uint64
	// namespaces that ever were, so that their records share one text.
	namespaces map[string]string
	// changed is raised with each change, and with what ends followers.
	changed signal
	// bells are rung whenever changed is raised.
	bells map[bell]struct{}
	// epoch grows when followers are ended.
	epoch   int
	dropped bool
}

// newTable makes a table of which nothing is known up to a version.
func newTable(of *store, unknown uint64) *table {
	return &table{
		store: of, rows: newRows(), born: of.version, history: history{limit: of.history, room: of.room, dropped: unknown},
		namespaces: map[string]string{}, bells: map[bell]struct{}{},
	}
}

// get is the object's present state, nil if there is none.
func (t *table) get(k key) *record {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.newest(k)
}

func (t *table) newest(k key) *record {
	found, _ := t.rows.Get(&record{key: k})
	return found
}

// commit stores next as the state after was, nil for none, and gives it the
// next version. It fails with errMoved when was is not the present state, and
// with errDropped.
func (t *table) commit(k key, was *record, next draft) (*record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.put(k, was, next)
}

// create is commit for a new object in a namespace, of which in is the record in
// another table. It fails with errNoLonger when that is not the present one, so
// that nothing comes into a namespace that has ended meanwhile. A nil one is not
// looked at.
func (t *table) create(k key, next draft, namespaces *table, in *record) (*record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if in != nil && namespaces.newest(in.key) != in {
		return nil, errNoLonger
	}
	return t.put(k, nil, next)
}

func (t *table) put(k key, was *record, next draft) (*record, error) {
	if err := t.admits(k, was); err != nil {
		return nil, err
	}
	if was != nil {
		k = was.key // the same texts, held once
	} else {
		k = t.own(k)
	}
	now := newRecord(k, next, t.store.version+1)
	t.rows.ReplaceOrInsert(now)
	t.note(change{now: now, was: was})
	return now, nil
}

// remove deletes the object of which was is the present state. What is returned
// is what watchers see: that state with the version of the deletion.
func (t *table) remove(was *record) (*record, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if err := t.admits(was.key, was); err != nil {
		return nil, err
	}
	now := was.restamped(t.store.version + 1)
	now.deleted = true
	t.rows.Delete(was)
	t.note(change{now: now, was: was})
	return now, nil
}

func (t *table) admits(k key, was *record) error {
	switch {
	case t.dropped:
		return errDropped
	case t.newest(k) != was:
		return errMoved
	}
	return nil
}

// own is a key that holds nothing else in memory, such as the request that it
// was cut from.
func (t *table) own(k key) key {
	namespace, known := t.namespaces[k.namespace]
	if !known {
		namespace = strings.Clone(k.namespace)
		t.namespaces[namespace] = namespace
	}
	return key{namespace: namespace, name: strings.Clone(k.name)}
}

func (t *table) note(c change) {
	t.store.version = c.now.version
	t.present = nil
	t.history.add(c)
	t.wake()
	t.store.moved.raise()
}

// remembers fails with tooOld and tooNew unless the table at this version, and
// what came after it, can be asked for.
func (t *table) remembers(version uint64) error {
	oldest := max(t.store.compacted, t.history.dropped)
	switch {
	case version > t.store.version:
		return tooNew{asked: version, newest: t.store.version}
	case version < oldest:
		return tooOld{asked: version, oldest: oldest}
	}
	return nil
}

// rewind undoes what came after a version that is remembered.
func (t *table) rewind(version uint64) {
	for t.history.count > 0 && t.history.at(t.history.count-1).now.version > version {
		takeBack(t.rows, t.history.undo())
	}
	t.present = nil
	t.born = min(t.born, version)
	t.endFollowers()
}

func (t *table) endFollowers() {
	t.epoch++
	t.wake()
}

// wake tells all who wait for something new.
func (t *table) wake() {
	t.changed.raise()
	for b := range t.bells {
		b.ring()
	}
}
