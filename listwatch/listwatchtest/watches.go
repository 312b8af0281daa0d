package listwatchtest

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// allChanges returns every kind of change, for a source that has the objects "a"
// and "b".
func allChanges() []change {
	return []change{
		updated("a"), created("c"), deleted("b"), updated("a"), updated("c"), created("b"), deleted("c"), deleted("a"),
	}
}

func watchPast[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"), updated("a"))
	version := t.expectList(metav1.ListOptions{}, "a", "b")
	t.apply(allChanges()...)
	s := t.watch(version)
	defer s.stop()
	s.expect(allChanges()...)
	t.apply(created("z"))
	s.expect(created("z"))
}

func watchLive[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"))
	s := t.watch(t.expectList(metav1.ListOptions{}, "a", "b"))
	defer s.stop()
	for _, c := range allChanges() {
		t.apply(c)
		s.expect(c)
	}
	t.apply(created("y"), updated("y"), deleted("y"))
	s.expect(created("y"), updated("y"), deleted("y"))
}

func watchResume[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"))
	version := t.expectList(metav1.ListOptions{}, "a", "b")
	t.apply(allChanges()...)
	s := t.watch(version)
	versions := s.expect(allChanges()...)
	s.stop()
	t.apply(created("z"))
	for i, version := range versions {
		t.expectResume(version, fmt.Sprintf("of %v, change %d,", allChanges()[i], i+1), append(allChanges()[i+1:], created("z")))
	}
}

func bookmarks[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"))
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{}, "a", "b"), AllowWatchBookmarks: true}
	s := t.open(opts)
	defer s.stop()
	bookmarked := map[string]int{} // number of changes before a bookmark, by version
	for i, c := range allChanges() {
		t.apply(c)
		for {
			event, err := s.event(t.Context)
			t.Must(err)
			if event.Type != watch.Bookmark {
				break
			}
			if before, twice := bookmarked[event.ResourceVersion]; twice && before != i {
				t.Failf("bookmarks have the version %q before and after change %d", event.ResourceVersion, before+1)
			}
			bookmarked[event.ResourceVersion] = i
		}
	}
	if len(bookmarked) == 0 {
		t.Note("no bookmark was received, so none was tested")
	}
	t.apply(created("z"))
	for version, changes := range bookmarked {
		t.expectResume(version, fmt.Sprintf("of the bookmark after change %d", changes), append(allChanges()[changes:], created("z")))
	}
}

// expectResume watches from a version and checks the changes.
func (t *caseRun[T]) expectResume(version, description string, want []change) {
	s := t.watch(version)
	defer s.stop()
	s.wanted = fmt.Sprintf(", %s, waiting for %v", description, want[0])
	if got, _ := s.next(); got != want[0] {
		t.Failf("a watch from the version %q %s begins with %v, want %v", version, description, got, want[0])
	}
	s.expect(want[1:]...)
}

// oldVersion accepts both answers: the source decides whether a version is too
// old.
func oldVersion[T any](t *caseRun[T]) {
	version := t.expectList(metav1.ListOptions{})
	past := []change{created("a"), updated("a"), created("b"), deleted("a")}
	t.apply(past...)
	if t.Expire != nil {
		t.Step("Expire")
		t.Must(t.Expire())
	}
	if err := t.replay(version, past); err != nil {
		if !isExpired(err) {
			t.Failf("a watch from a version that is too old: the error is not an expired version: %w", err)
		}
	} else if t.Expire != nil {
		t.Note("versions are served although they have expired")
	}
	t.apply(created("c"))
	s := t.watch(t.expectList(metav1.ListOptions{}, "b", "c"))
	defer s.stop()
	t.apply(deleted("b"))
	s.expect(deleted("b"))
}

// replay watches from a version and checks the changes. It returns the first
// error.
func (t *caseRun[T]) replay(version string, want []change) error {
	s := &stream[T]{t: t, opts: metav1.ListOptions{ResourceVersion: version}}
	if err := s.reopen(); err != nil {
		return err
	}
	defer s.stop()
	t.apply(created("z"), deleted("z"))
	for _, c := range append(want, created("z"), deleted("z")) {
		event, err := s.event(t.Context)
		for err == nil && event.Type == watch.Bookmark {
			event, err = s.event(t.Context)
		}
		if err != nil {
			return err
		}
		if got := (change{event.Type, t.Name(event.Object)}); got != c {
			t.Failf("a watch from an old version delivers %v, want %v", got, c)
		}
	}
	return nil
}

func isExpired(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && (apierrors.IsResourceExpired(err) || apierrors.IsGone(err))
}

func twoWatches[T any](t *caseRun[T]) {
	version := t.expectList(metav1.ListOptions{})
	one, other := t.watch(version), t.watch(version)
	defer other.stop()
	t.apply(created("a"), updated("a"))
	one.expect(created("a"), updated("a"))
	other.expect(created("a"))
	one.stop()
	t.apply(deleted("a"))
	other.expect(updated("a"), deleted("a"))
	third := t.watch(version)
	defer third.stop()
	third.expect(created("a"), updated("a"), deleted("a"))
}
