package listwatchtest

import (
	"testing"
	"time"

	"github.com/thinformer/thinformer/internal/trial"
	"github.com/thinformer/thinformer/listwatch"
)

// Source is the implementation under test, with functions that change its
// objects. It must have no objects when Run receives it.
type Source[T any] struct {
	listwatch.ListerWatcher[T]

	// Name returns the name that an object was created with.
	Name func(T) string
	// Create, Update and Delete change the object with that name. They return
	// once the change is visible to every list that begins afterwards. Names are
	// "a", "b", "c" and so on. Update must change the object, so that there is
	// an event.
	Create, Update, Delete func(name string) error

	// Expire makes the source discard its history, so that no watch can begin at
	// an earlier version. It is optional: without it, versions that are too old
	// are tested only as far as the source discards them itself.
	Expire func() error
	// WatchList declares that the source streams its initial state. If it is
	// false, a source that does not stream also passes.
	WatchList bool
	// Timeout is how long a test waits for the source before it fails; 0 means
	// ten seconds. A call that takes longer is treated as blocked, and its
	// goroutine is abandoned.
	Timeout time.Duration
}

// Run tests the sources that newSource returns, in one subtest of t for each
// requirement. newSource is called once for each subtest, with the T of the
// subtest; use T.Cleanup to release resources. The subtests run one after
// another. One of them counts the goroutines of the whole process, so nothing
// else may run at the same time.
func Run[T any](t *testing.T, newSource func(t *testing.T) Source[T]) {
	t.Helper()
	for _, c := range casesOf[T]() {
		t.Run(c.name, func(t *testing.T) {
			notes, err := c.perform(newSource(t))
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
		{"list-empty", "that a list of an empty source has no items, and a version to watch from", listEmpty[T]},
		{"list", "that a list has each object once, as of the beginning of the list, and a version after it has been read", listWhole[T]},
		{"list-pages", "that a list with a Limit has the same objects as one without: Limit is the size of a page", listPages[T]},
		{"watch-past", "that a watch from a version delivers every later change, in order, and none before", watchPast[T]},
		{"watch-live", "that an open watch delivers every change, in order", watchLive[T]},
		{"watch-resume", "that a watch from the version of an event continues with the event after it", watchResume[T]},
		{"bookmarks", "that a watch from the version of a bookmark, if there is any, continues with the change after it", bookmarks[T]},
		{"watch-list", "that a watch with SendInitialEvents delivers each object once and a final bookmark with a version and continues, or is refused", watchList[T]},
		{"old-version", "that a watch from a version that is too old is refused as expired (410), or delivers every later change", oldVersion[T]},
		{"context-list", "that List returns immediately when its context ends", contextList[T]},
		{"context-watch", "that a watch ends with its context, even while Next blocks", contextWatch[T]},
		{"context-next", "that Next returns the error of its context when that ends, even while it blocks, and the watch has ended", contextNext[T]},
		{"stop", "that Stop ends a watch, even while Next blocks, and may be called again", stop[T]},
		{"two-watches", "that two watches each deliver every change, and that one continues when the other is stopped", twoWatches[T]},
		{"goroutines", "that closed lists and stopped watches leak no goroutine", goroutines[T]},
	}
}
