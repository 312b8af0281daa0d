package storetest

import (
	"testing"
	"time"

	"github.com/thinformer/thinformer/internal/trial"
	"github.com/thinformer/thinformer/reflector"
)

// Store is what is tested. It must be empty when it is handed out.
type Store[T any] struct {
	reflector.Store[T]

	// Object makes the object of that name in its n-th state. A greater n is a
	// later state of the same object, and what has a version has a later one
	// then. n is never the same twice for one name, but where the same object is
	// meant.
	Object func(name string, n int) T
	// Contents is the state of each object that is stored, by its name, once
	// everything that has been written is in force. It is called from several
	// goroutines, also while something is written.
	Contents func() map[string]int
	// Version is the version that the store has reached, once everything that
	// has been written is in force. nil: the store does not show one.
	Version func() string

	// Patience is how long a test waits for the store before it fails; 0 is ten
	// seconds. What takes longer is taken to wait for ever, and is left behind.
	Patience time.Duration
}

// Run tests the stores that newStore makes, in a subtest of t for each thing
// that is expected of one. newStore is called for each, with the subtest's T;
// what is to be released is for its Cleanup.
func Run[T any](t *testing.T, newStore func(t *testing.T) Store[T]) {
	t.Helper()
	for _, c := range casesOf[T]() {
		t.Run(c.name, func(t *testing.T) {
			notes, err := c.perform(newStore(t))
			trial.Report(t, c.expects, notes, err)
		})
	}
}

// testCase is one thing that is expected of a store.
type testCase[T any] struct {
	name, expects string
	run           func(*try[T])
}

func casesOf[T any]() []testCase[T] {
	return []testCase[T]{
		{"add", "that what is added is stored, and that an Add of what is there takes its place", add[T]},
		{"update", "that an Update takes the place of what is there, and is an Add of what is not", update[T]},
		{"delete", "that a Delete removes what is there, whatever its state, and that one of what is not there is nothing", remove[T]},
		{"events", "that of many events the last one of each object counts", events[T]},
		{"replace", "that a Replace makes its items all that is stored: what is missing is gone", replace[T]},
		{"replace-empty", "that a Replace without items leaves nothing stored", replaceEmpty[T]},
		{"replace-same", "that a Replace with what is stored changes nothing", replaceSame[T]},
		{"replace-twice", "that of an object that comes twice in a Replace the last one counts", replaceTwice[T]},
		{"replace-once", "that a Replace reads its items once", replaceOnce[T]},
		{"replace-nil", "that a Replace of nil is an error, and leaves everything stored", replaceNil[T]},
		{"replace-error", "that a Replace whose items end with an error returns it, so that errors.Is finds it, and changes nothing", replaceError[T]},
		{"replace-hidden", "that nothing of a Replace is to be seen before its items have ended, and that reading does not wait for them", replaceHidden[T]},
		{"replace-version", "that the version of a Replace is asked for when its items have ended without error, and not before", replaceVersion[T]},
		{"bookmark", "that a Bookmark changes the version and nothing that is stored", bookmark[T]},
		{"resync", "that a Resync changes nothing that is stored", resync[T]},
		{"readers", "that who reads while a Replace takes the place of another sees the one or the other, whole", readers[T]},
	}
}
