package storetest

import (
	"testing"
	"time"

	"github.com/thinformer/thinformer/internal/trial"
	"github.com/thinformer/thinformer/reflector"
)

// Store is the implementation under test. It must be empty when Run receives it.
type Store[T any] struct {
	reflector.Store[T]

	// Object returns the object with the given name in its n-th state. A greater
	// n is a later state of the same object, with a later version if it has one.
	// For one name the same n always means the same object.
	Object func(name string, n int) T
	// Contents returns the state of each stored object by name, after everything
	// that has been written is applied. It is called from several goroutines,
	// also during writes.
	Contents func() map[string]int
	// Version returns the version that the store has reached, after everything
	// that has been written is applied. nil: the store does not expose a
	// version.
	Version func() string

	// Timeout is how long a test waits for the store before it fails; 0 means
	// ten seconds. A call that takes longer is treated as blocked, and its
	// goroutine is abandoned.
	Timeout time.Duration
}

// Run tests the stores that newStore returns, in one subtest of t for each
// requirement. newStore is called once for each subtest, with the T of the
// subtest; use T.Cleanup to release resources.
func Run[T any](t *testing.T, newStore func(t *testing.T) Store[T]) {
	t.Helper()
	for _, c := range casesOf[T]() {
		t.Run(c.name, func(t *testing.T) {
			notes, err := c.perform(newStore(t))
			trial.Report(t, c.expects, notes, err)
		})
	}
}

// testCase tests one requirement.
type testCase[T any] struct {
	name, expects string
	run           func(*caseRun[T])
}

func casesOf[T any]() []testCase[T] {
	return []testCase[T]{
		{"add", "that an added object is stored, and that an Add of an existing object replaces it", add[T]},
		{"update", "that an Update replaces an existing object, and adds a missing one", update[T]},
		{"delete", "that a Delete removes an existing object, whatever its state, and ignores a missing one", remove[T]},
		{"events", "that after many events each object has the state of its last event", events[T]},
		{"replace", "that after a Replace exactly its items are stored", replace[T]},
		{"replace-empty", "that a Replace without items empties the store", replaceEmpty[T]},
		{"replace-same", "that a Replace with the stored objects changes nothing", replaceSame[T]},
		{"replace-twice", "that the last of several items for the same object in a Replace is stored", replaceTwice[T]},
		{"replace-once", "that a Replace iterates over its items only once", replaceOnce[T]},
		{"replace-nil", "that a Replace with a nil iterator is an error and changes nothing", replaceNil[T]},
		{"replace-error", "that a Replace whose items end with an error wraps that error and changes nothing", replaceError[T]},
		{"replace-hidden", "that no item of a Replace is visible before its items have ended, and that readers are not blocked meanwhile", replaceHidden[T]},
		{"replace-version", "that a Replace calls version after its items have ended without an error, and not before", replaceVersion[T]},
		{"bookmark", "that a Bookmark changes the version and not the contents", bookmark[T]},
		{"resync", "that a Resync does not change the contents", resync[T]},
		{"readers", "that a reader during a Replace sees either the old or the new contents", readers[T]},
	}
}
