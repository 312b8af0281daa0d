package apitest

import (
	"context"
	"sort"
)

// follower reads the changes of a table from a version on, each once and in
// order. It belongs to one goroutine.
type follower struct {
	table *table
	// seen is the version up to which every change was returned.
	seen uint64
}

// follow returns the changes after a version. It fails with tooOld and tooNew.
func (t *table) follow(after uint64) (*follower, error) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	if after > t.store.version {
		return nil, tooNew{asked: after, newest: t.store.version}
	}
	if after < t.floor {
		return nil, tooOld{asked: after, oldest: t.floor}
	}
	return &follower{table: t, seen: after}, nil
}

// next waits for changes and returns all that there are, with the version up to
// which there are no others. It returns none when ctx ends, and fails with
// tooOld when the history went faster than its reader.
func (f *follower) next(ctx context.Context) (changes []change, upTo uint64, err error) {
	for {
		changes, upTo, wake, err := f.ready()
		if err != nil || len(changes) > 0 {
			return changes, upTo, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, f.seen, ctx.Err()
		}
	}
}

// ready is what there is now, without waiting; wake is closed when there is
// more.
func (f *follower) ready() (changes []change, upTo uint64, wake <-chan struct{}, err error) {
	t := f.table
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	if f.seen < t.floor {
		return nil, f.seen, nil, tooOld{asked: f.seen, oldest: t.floor}
	}
	from := sort.Search(len(t.log), func(i int) bool { return t.log[i].now.version > f.seen })
	changes = append(changes, t.log[from:]...)
	f.seen = t.store.version
	return changes, f.seen, t.wake, nil
}
