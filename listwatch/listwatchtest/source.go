package listwatchtest

import (
	"testing"
	"time"

	"github.com/thinformer/thinformer/internal/trial"
	"github.com/thinformer/thinformer/listwatch"
)

// Source is what is tested: something that shows objects, and the hand that
// changes them. It must show nothing when it is handed out.
type Source[T any] struct {
	listwatch.ListerWatcher[T]

	// Name is the name that an object was created with.
	Name func(T) string
	// Create, Update and Delete change the object of that name, and return when
	// that has happened: a list that begins then shows it. Names are "a", "b",
	// "c" and so on. Update must change the object, so that there is something
	// to tell.
	Create, Update, Delete func(name string) error

	// Expire, if it can be done, makes the source forget its past, so that no
	// watch can begin at a version from before. nil: what happens to versions
	// that are too old is tested only as far as the source forgets by itself.
	Expire func() error
	// WatchList promises that the source streams its initial state. Otherwise
	// one that does not passes.
	WatchList bool
	// Patience is how long a test waits for the source before it fails; 0 is
	// ten seconds. What takes longer is taken to wait for ever, and is left
	// behind.
	Patience time.Duration
}

// Run tests the sources that newSource makes, in a subtest of t for each thing
// that is expected of one. newSource is called for each, with the subtest's T;
// what is to be released is for its Cleanup. The subtests run one after another,
// and one of them counts the goroutines of the whole process: nothing else may
// run beside it.
func Run[T any](t *testing.T, newSource func(t *testing.T) Source[T]) {
	t.Helper()
	for _, c := range casesOf[T]() {
		t.Run(c.name, func(t *testing.T) {
			notes, err := c.perform(newSource(t))
			trial.Report(t, c.expects, notes, err)
		})
	}
}

// testCase is one thing that is expected of a source.
type testCase[T any] struct {
	name, expects string
	run           func(*try[T])
}

func casesOf[T any]() []testCase[T] {
	return []testCase[T]{
		{"list-empty", "that a list of nothing has no items, and a version to watch from", listEmpty[T]},
		{"list", "that a list shows each object once, as it is when the list begins, and has a version when it has been read", listWhole[T]},
		{"list-pages", "that a list that is asked for in pages is the same as one that is not: Limit is the size of a page", listPages[T]},
		{"watch-past", "that a watch from a version gives every change since, in order, and none before", watchPast[T]},
		{"watch-live", "that a watch gives every change while it is open, in order", watchLive[T]},
		{"watch-resume", "that each event has a version from which a watch goes on with the event after it", watchResume[T]},
		{"bookmarks", "that a bookmark, if any comes, is a version from which a watch goes on with the change after it", bookmarks[T]},
		{"watch-list", "that a watch with SendInitialEvents gives each object once, marks the end with a version and goes on, or is refused", watchList[T]},
		{"old-version", "that a watch from a version that is too old is refused as expired (410), or gives every change since", oldVersion[T]},
		{"context-list", "that List returns at once when its context has ended", contextList[T]},
		{"context-watch", "that a watch ends with the context that it was opened with, even while Next waits", contextWatch[T]},
		{"context-next", "that Next returns its context's error when that ends, even while it waits, and the watch is over", contextNext[T]},
		{"stop", "that Stop ends a watch, even while Next waits, and may be called again", stop[T]},
		{"two-watches", "that two watches each give every change, and that one goes on when the other is stopped", twoWatches[T]},
		{"goroutines", "that lists and watches leave no goroutine behind when they are closed and stopped", goroutines[T]},
	}
}
