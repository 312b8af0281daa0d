package scripted

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Store records its calls.
type Store struct {
	// Before is called with each call, such as "add a 12". Its error is the one of the
	// call. Default: no error.
	Before func(call string) error

	mu    sync.Mutex
	calls []string
}

var _ stack.Store = (*Store)(nil)

// Add records "add a 11".
func (s *Store) Add(object stack.Object) error { return s.change("add", object) }

// Update records "update a 12".
func (s *Store) Update(object stack.Object) error { return s.change("update", object) }

// Delete records "delete a 13".
func (s *Store) Delete(object stack.Object) error { return s.change("delete", object) }

func (s *Store) change(call string, object stack.Object) error {
	if object == nil {
		return s.call(call + " nil")
	}
	return s.call(call + " " + object.Name + " " + object.ResourceVersion)
}

// Bookmark records "bookmark 12".
func (s *Store) Bookmark(version string) { _ = s.call("bookmark " + version) }

// Resync records "resync".
func (s *Store) Resync() error { return s.call("resync") }

// Replace records the names of all items in their order, "replace a b to 10", unless
// items ends with an error.
func (s *Store) Replace(items iter.Seq2[stack.Object, error], version func() string) error {
	var names []string
	for item, err := range items {
		if err != nil {
			return err
		}
		names = append(names, item.Name+" "+item.ResourceVersion)
	}
	slices.Sort(names)
	return s.call(strings.Join(append(append([]string{"replace"}, names...), "to", version()), " "))
}

func (s *Store) call(call string) error {
	if s.Before != nil {
		if err := s.Before(call); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
	return nil
}

// Log returns the successful calls as one line: "add a 11, bookmark 12".
func (s *Store) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, ", ")
}

// Backoff returns one minute, then two minutes, and so on.
type Backoff struct {
	mu            sync.Mutex
	waits         int
	nexts, resets int
}

var _ stack.Backoff = (*Backoff)(nil)

// Next implements stack.Backoff.
func (b *Backoff) Next() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nexts++
	b.waits++
	return time.Duration(b.waits) * time.Minute
}

// Reset implements stack.Backoff.
func (b *Backoff) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.resets++
	b.waits = 0
}

// Calls returns the numbers of the calls of Next and of Reset.
func (b *Backoff) Calls() (nexts, resets int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.nexts, b.resets
}
