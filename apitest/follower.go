package apitest

// follower reads the changes of a table from a version on, each once and in
// order. It belongs to one goroutine, holds none of the changes, and is ended
// when the history is forgotten faster than it reads.
type follower struct {
	table *table
	epoch int
	// seen is the version up to which every change was returned, or from which
	// on changes are wanted.
	seen uint64
}

// batch is how many changes a follower gets at once: what a slow reader of a
// watch makes the server hold beyond the history.
const batch = 64

// follow returns the changes after a version, which may be one that is not
// given out yet. It fails with tooOld.
func (t *table) follow(after uint64) (*follower, error) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	if after <= t.store.version {
		if err := t.remembers(after); err != nil {
			return nil, err
		}
		if after < t.born {
			return nil, tooOld{asked: after, oldest: t.born}
		}
	}
	return &follower{table: t, epoch: t.epoch, seen: after}, nil
}

// open is the table as it is, and the changes from then on.
func (t *table) open() (*snapshot, *follower) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.now(), &follower{table: t, epoch: t.epoch, seen: t.store.version}
}

// ready is the next changes, if there are any; otherwise all up to seen were
// returned, and wake is closed when there may be more. It fails with tooOld when
// changes were forgotten before they were read, and with errDropped.
func (f *follower) ready() (changes []change, wake <-chan struct{}, err error) {
	if changes, err = f.next(); len(changes) > 0 || err != nil {
		return changes, nil, err
	}
	t := f.table
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if changes, err = f.read(); len(changes) > 0 || err != nil {
		return changes, nil, err
	}
	return nil, t.changed.wait(), nil
}

// next is what ready returns, without a way to wait: who has a bell in the table
// needs none.
func (f *follower) next() ([]change, error) {
	f.table.store.mu.RLock()
	defer f.table.store.mu.RUnlock()
	return f.read()
}

// hang has a bell rung when there may be something new, until it is taken away.
func (f *follower) hang(b bell) {
	f.table.store.mu.Lock()
	defer f.table.store.mu.Unlock()
	f.table.bells[b] = struct{}{}
}

func (f *follower) takeAway(b bell) {
	f.table.store.mu.Lock()
	defer f.table.store.mu.Unlock()
	delete(f.table.bells, b)
}

// read takes changes out of the history. The store's mu is held.
func (f *follower) read() (changes []change, err error) {
	t := f.table
	switch {
	case f.epoch != t.epoch:
		return nil, errDropped
	case f.seen < t.history.dropped:
		return nil, tooOld{asked: f.seen, oldest: t.history.dropped}
	}
	from := t.history.after(f.seen)
	for i := from; i < t.history.count && len(changes) < batch; i++ {
		changes = append(changes, *t.history.at(i))
	}
	switch {
	case len(changes) == 0 && t.dropped:
		return nil, errDropped
	case from+len(changes) < t.history.count:
		f.seen = changes[len(changes)-1].now.version
	case f.seen < t.store.version:
		f.seen = t.store.version
	}
	return changes, nil
}
