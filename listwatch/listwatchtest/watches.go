package listwatchtest

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// story is a bit of everything that can happen, to objects "a" and "b" that are
// there.
func story() []change {
	return []change{
		updated("a"), created("c"), deleted("b"), updated("a"), updated("c"), created("b"), deleted("c"), deleted("a"),
	}
}

func watchPast[T any](t *try[T]) {
	t.make(created("a"), created("b"), updated("a"))
	version := t.expectList(metav1.ListOptions{}, "a", "b")
	t.make(story()...)
	s := t.watch(version)
	defer s.stop()
	s.expect(story()...)
	t.make(created("z"))
	s.expect(created("z"))
}

func watchLive[T any](t *try[T]) {
	t.make(created("a"), created("b"))
	s := t.watch(t.expectList(metav1.ListOptions{}, "a", "b"))
	defer s.stop()
	for _, c := range story() {
		t.make(c)
		s.expect(c)
	}
	t.make(created("y"), updated("y"), deleted("y"))
	s.expect(created("y"), updated("y"), deleted("y"))
}

func watchResume[T any](t *try[T]) {
	t.make(created("a"), created("b"))
	version := t.expectList(metav1.ListOptions{}, "a", "b")
	t.make(story()...)
	s := t.watch(version)
	versions := s.expect(story()...)
	s.stop()
	t.make(created("z"))
	for i, version := range versions {
		t.goesOn(version, fmt.Sprintf("of %v, change %d,", story()[i], i+1), append(story()[i+1:], created("z")))
	}
}

func bookmarks[T any](t *try[T]) {
	t.make(created("a"), created("b"))
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{}, "a", "b"), AllowWatchBookmarks: true}
	s := t.open(opts)
	defer s.stop()
	marks := map[string]int{} // how many changes came before, by version
	for i, c := range story() {
		t.make(c)
		for {
			event, err := s.event(t.Context)
			t.Must(err)
			if event.Type != watch.Bookmark {
				break
			}
			if before, twice := marks[event.ResourceVersion]; twice && before != i {
				t.Failf("bookmarks have the version %q before and after change %d", event.ResourceVersion, before+1)
			}
			marks[event.ResourceVersion] = i
		}
	}
	if len(marks) == 0 {
		t.Note("no bookmark came, so none was looked at")
	}
	t.make(created("z"))
	for version, changes := range marks {
		t.goesOn(version, fmt.Sprintf("of the bookmark after change %d", changes), append(story()[changes:], created("z")))
	}
}

// goesOn watches from a version and compares what comes.
func (t *try[T]) goesOn(version, of string, want []change) {
	s := t.watch(version)
	defer s.stop()
	s.wants = fmt.Sprintf(", %s, where %v should come", of, want[0])
	if got, _ := s.next(); got != want[0] {
		t.Failf("a watch from the version %q %s begins with %v, and should with %v", version, of, got, want[0])
	}
	s.expect(want[1:]...)
}

// oldVersion: whether it is too old is for the source to say.
func oldVersion[T any](t *try[T]) {
	version := t.expectList(metav1.ListOptions{})
	past := []change{created("a"), updated("a"), created("b"), deleted("a")}
	t.make(past...)
	if t.Expire != nil {
		t.Doing("Expire")
		t.Must(t.Expire())
	}
	if err := t.replay(version, past); err != nil {
		if !isExpired(err) {
			t.Failf("a watch from a version that is too old: the error is not that it has expired: %w", err)
		}
	} else if t.Expire != nil {
		t.Note("versions are served although they have expired")
	}
	t.make(created("c"))
	s := t.watch(t.expectList(metav1.ListOptions{}, "b", "c"))
	defer s.stop()
	t.make(deleted("b"))
	s.expect(deleted("b"))
}

// replay watches from a version and compares what comes. It returns the first
// error.
func (t *try[T]) replay(version string, want []change) error {
	s := &stream[T]{t: t, opts: metav1.ListOptions{ResourceVersion: version}}
	if err := s.reopen(); err != nil {
		return err
	}
	defer s.stop()
	t.make(created("z"), deleted("z"))
	for _, c := range append(want, created("z"), deleted("z")) {
		event, err := s.event(t.Context)
		for err == nil && event.Type == watch.Bookmark {
			event, err = s.event(t.Context)
		}
		if err != nil {
			return err
		}
		if got := (change{event.Type, t.Name(event.Object)}); got != c {
			t.Failf("a watch from an old version gives %v in the place of %v", got, c)
		}
	}
	return nil
}

func isExpired(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && (apierrors.IsResourceExpired(err) || apierrors.IsGone(err))
}

func twoWatches[T any](t *try[T]) {
	version := t.expectList(metav1.ListOptions{})
	one, other := t.watch(version), t.watch(version)
	defer other.stop()
	t.make(created("a"), updated("a"))
	one.expect(created("a"), updated("a"))
	other.expect(created("a"))
	one.stop()
	t.make(deleted("a"))
	other.expect(updated("a"), deleted("a"))
	third := t.watch(version)
	defer third.stop()
	third.expect(created("a"), updated("a"), deleted("a"))
}
