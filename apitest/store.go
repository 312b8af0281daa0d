package apitest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What fails in a store.
var (
	// errMoved: another write came between; read again and try again.
	errMoved = errors.New("the object has changed meanwhile")
	// errNoLonger: what a write relies on has changed; look again.
	errNoLonger = errors.New("the namespace has changed meanwhile")
	// errDropped: the table is no longer there. Followers of a store that was
	// set back get it as well.
	errDropped = errors.New("the resource is no longer stored")
)

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

// store holds every object of a server under one version counter: what etcd is
// to the real one. It knows nothing of HTTP, kinds or rules. What it hands out
// is not to be changed.
type store struct {
	// history is how many changes a table remembers; negative is all. room is how
	// many bytes they may keep; 0 is any.
	history, room int

	mu      sync.RWMutex
	version uint64 // the last that was given out
	// compacted is the oldest version that can be asked for.
	compacted uint64
	tables    map[schema.GroupResource]*table
	moved     signal // a version was given out
	// drops are the versions at which tables were dropped.
	drops map[schema.GroupResource]uint64
}

func newStore(history, room int) *store {
	return &store{history: history, room: room, version: 1, tables: map[schema.GroupResource]*table{}, drops: map[schema.GroupResource]uint64{}}
}

// current is the last version that was given out.
func (s *store) current() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// await waits until a version was given out. It fails with tooNew when patience
// ends, and with the error of ctx.
func (s *store) await(ctx context.Context, version uint64, patience time.Duration) error {
	var over <-chan time.Time
	for {
		s.mu.Lock()
		newest, moved := s.version, s.moved.wait()
		s.mu.Unlock()
		if newest >= version {
			return nil
		}
		if over == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-moved:
		case <-over:
			return tooNew{asked: version, newest: newest}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// table of a resource, which is made when it is asked for first.
func (s *store) table(of schema.GroupResource) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[of]
	if t == nil {
		t = newTable(s, s.drops[of])
		s.tables[of] = t
	}
	return t
}

// drop forgets a table with all that is in it. Its followers read on to the end
// of its history, and end there. Whoever still holds it cannot write to it.
func (s *store) drop(of schema.GroupResource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tables[of]; t != nil {
		delete(s.tables, of)
		s.drops[of] = s.version
		t.rows, t.present = newRows(), nil
		t.dropped = true
		t.wake()
	}
}

// compact forgets what is older than version: lists at and watches from before
// get tooOld. Followers that there are read on: what they have not read yet is
// kept as long as the history would. A version of the future is the present one.
func (s *store) compact(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = max(s.compacted, min(version, s.version))
}

// rewind makes the store what it was at version, as if it had been restored
// from a backup: every later change is undone, the versions after it are given
// out again, and whoever follows a table is ended. It fails with tooOld when
// the history does not reach back that far, or a table was dropped since, and
// with tooNew.
func (s *store) rewind(version uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.drops {
		if version < at {
			return tooOld{asked: version, oldest: at}
		}
	}
	for t := range maps.Values(s.tables) {
		if err := t.remembers(version); err != nil {
			return err
		}
	}
	for t := range maps.Values(s.tables) {
		t.rewind(version)
	}
	s.version = version
	s.moved.raise()
	return nil
}

// Compact makes the server forget its past: watches from versions before the
// present one, and lists at them, are answered with 410 from now on. Watches
// that are open go on, and miss nothing of what they have not sent yet.
func (s *Server) Compact() { s.store.compact(s.store.current()) }
