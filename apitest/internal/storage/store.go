package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Errors of a store.
var (
	// ErrConflict: another write was faster. The caller reads again and retries.
	ErrConflict = errors.New("the object has changed meanwhile")
	// ErrNamespaceChanged: the namespace of a new object has changed. The caller
	// checks it again.
	ErrNamespaceChanged = errors.New("the namespace has changed meanwhile")
	// ErrDropped: the table was removed. Followers also get it after a rewind.
	ErrDropped = errors.New("the resource is no longer stored")
)

// TooOld is a version before the known history. TooNew is a version that has
// not been assigned yet.
type (
	TooOld struct{ asked, Oldest uint64 }
	TooNew struct{ Asked, Newest uint64 }
)

func (e TooOld) Error() string {
	return fmt.Sprintf("too old resource version: %d (%d)", e.asked, e.Oldest)
}
func (e TooNew) Error() string {
	return fmt.Sprintf("too large resource version: %d, current: %d", e.Asked, e.Newest)
}

// Store holds every object of a server under one version counter, like etcd. It
// does not depend on HTTP, kinds or rules. Callers must not modify what it
// returns.
type Store struct {
	// maxChanges bounds the history of a table; negative is unlimited. maxBytes
	// bounds the bytes that the changes retain; 0 is unlimited.
	maxChanges, maxBytes int

	mu      sync.RWMutex
	version uint64 // the last assigned version
	// compacted is the oldest version that can be requested.
	compacted uint64
	tables    map[schema.GroupResource]*Table
	moved     Signal // raised when a version is assigned
	// drops holds the versions at which tables were dropped.
	drops map[schema.GroupResource]uint64
}

// New returns an empty store at version 1. history bounds the changes of each
// table; negative is unlimited. maxBytes bounds the bytes that they retain; 0 is
// unlimited.
func New(history, maxBytes int) *Store {
	return &Store{maxChanges: history, maxBytes: maxBytes, version: 1, tables: map[schema.GroupResource]*Table{}, drops: map[schema.GroupResource]uint64{}}
}

// Current returns the last assigned version.
func (s *Store) Current() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// Await waits until a version is assigned. It fails with TooNew after the
// timeout, and with the error of ctx.
func (s *Store) Await(ctx context.Context, version uint64, timeout time.Duration) error {
	var over <-chan time.Time
	for {
		s.mu.Lock()
		newest, moved := s.version, s.moved.Wait()
		s.mu.Unlock()
		if newest >= version {
			return nil
		}
		if over == nil {
			timer := time.NewTimer(timeout)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-moved:
		case <-over:
			return TooNew{Asked: version, Newest: newest}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Table returns the table of a resource, and creates it on the first call.
func (s *Store) Table(resource schema.GroupResource) *Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[resource]
	if t == nil {
		t = newTable(s, s.drops[resource])
		s.tables[resource] = t
	}
	return t
}

// Drop removes a table with its objects. Its followers read to the end of its
// history and end there. Later writes to the table fail.
func (s *Store) Drop(resource schema.GroupResource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tables[resource]; t != nil {
		delete(s.tables, resource)
		s.drops[resource] = s.version
		t.rows, t.current = newRows(), nil
		t.dropped = true
		t.wake()
	}
}

// Compact removes the history before version: lists at earlier versions, and
// watches from them, get TooOld. Existing followers continue: the changes that
// they have not read are kept as long as the history allows. A future version
// is taken as the current one.
func (s *Store) Compact(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = max(s.compacted, min(version, s.version))
}

// Rewind restores the store to its state at version, like a restore from a
// backup: every later change is undone, the later versions are assigned again,
// and all followers end. It fails with TooOld if the history does not reach
// back that far, or if a table was dropped since, and with TooNew.
func (s *Store) Rewind(version uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.drops {
		if version < at {
			return TooOld{asked: version, Oldest: at}
		}
	}
	for t := range maps.Values(s.tables) {
		if err := t.checkKnown(version); err != nil {
			return err
		}
	}
	for t := range maps.Values(s.tables) {
		t.rewind(version)
	}
	s.version = version
	s.moved.Raise()
	return nil
}

// NextVersion returns a channel that is closed when the next version is assigned.
func (s *Store) NextVersion() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved.Wait()
}
