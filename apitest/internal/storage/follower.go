package storage

// Follower reads the changes of a table after a version, each once and in
// order. One goroutine uses it. It retains no changes; it fails if changes are
// removed from the history before it reads them.
type Follower struct {
	table *Table
	epoch int
	// Seen is the version up to which every change was returned, or after which
	// changes are wanted.
	Seen uint64
}

// batch is the maximum number of changes that a follower returns at once. It
// bounds what a slow watch keeps in memory beyond the history.
const batch = 64

// Follow returns a follower of the changes after a version, which may be in the
// future. It fails with TooOld.
func (t *Table) Follow(after uint64) (*Follower, error) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	if after <= t.store.version {
		if err := t.checkKnown(after); err != nil {
			return nil, err
		}
		if after < t.createdAt {
			return nil, TooOld{asked: after, Oldest: t.createdAt}
		}
	}
	return &Follower{table: t, epoch: t.epoch, Seen: after}, nil
}

// Open returns the current table, and a follower of the changes after it.
func (t *Table) Open() (*Snapshot, *Follower) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.now(), &Follower{table: t, epoch: t.epoch, Seen: t.store.version}
}

// Ready returns the next changes, if there are any. Otherwise all changes up to
// seen were returned, and wake is closed when there may be more. It fails with
// TooOld if changes were removed from the history before they were read, and
// with ErrDropped.
func (f *Follower) Ready() (changes []Change, wake <-chan struct{}, err error) {
	if changes, err = f.Next(); len(changes) > 0 || err != nil {
		return changes, nil, err
	}
	t := f.table
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if changes, err = f.read(); len(changes) > 0 || err != nil {
		return changes, nil, err
	}
	return nil, t.changed.Wait(), nil
}

// Next is ready without a channel to wait on, for callers that have added a
// notifier.
func (f *Follower) Next() ([]Change, error) {
	f.table.store.mu.RLock()
	defer f.table.store.mu.RUnlock()
	return f.read()
}

// AddNotifier notifies n when there may be new changes, until it is removed.
func (f *Follower) AddNotifier(b Notifier) {
	f.table.store.mu.Lock()
	defer f.table.store.mu.Unlock()
	f.table.notifiers[b] = struct{}{}
}

// RemoveNotifier ends the notifications of AddNotifier.
func (f *Follower) RemoveNotifier(b Notifier) {
	f.table.store.mu.Lock()
	defer f.table.store.mu.Unlock()
	delete(f.table.notifiers, b)
}

// read takes changes from the history. The store's mu is held.
func (f *Follower) read() (changes []Change, err error) {
	t := f.table
	switch {
	case f.epoch != t.epoch:
		return nil, ErrDropped
	case f.Seen < t.history.dropped:
		return nil, TooOld{asked: f.Seen, Oldest: t.history.dropped}
	}
	from := t.history.after(f.Seen)
	for i := from; i < t.history.count && len(changes) < batch; i++ {
		changes = append(changes, *t.history.at(i))
	}
	switch {
	case len(changes) == 0 && t.dropped:
		return nil, ErrDropped
	case from+len(changes) < t.history.count:
		f.Seen = changes[len(changes)-1].New.Version
	case f.Seen < t.store.version:
		f.Seen = t.store.version
	}
	return changes, nil
}
