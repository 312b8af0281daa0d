package listwatchtest

import (
	"context"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/trial"
	"github.com/thinformer/thinformer/listwatch"
)

// try is one case tried on one source.
type try[T any] struct {
	*trial.Trial
	Source[T]
}

// perform tries the case on a source, for as long as that has patience.
func (c testCase[T]) perform(s Source[T]) (notes []string, err error) {
	return trial.Perform(s.Patience, func(t *trial.Trial) { c.run(&try[T]{t, s}) })
}

// change is something that happens to an object.
type change struct {
	typ  watch.EventType
	name string
}

func (c change) String() string { return string(c.typ) + " " + c.name }

// make brings changes about.
func (t *try[T]) make(changes ...change) {
	for _, c := range changes {
		do := t.Create
		switch c.typ {
		case watch.Modified:
			do = t.Update
		case watch.Deleted:
			do = t.Delete
		}
		t.Doing("bring about %v", c)
		t.Must(do(c.name))
	}
}

// list reads a list to its end.
func (t *try[T]) list(opts metav1.ListOptions) (names []string, version string) {
	t.Doing("List")
	list, err := t.List(t.Context, opts)
	t.Must(err)
	if list == nil {
		t.Failf("List returned nil and no error")
	}
	t.Doing("read the list")
	items, err := list.Slice()
	t.Must(err)
	for _, item := range items {
		names = append(names, t.Name(item))
	}
	if version = list.ResourceVersion(); version == "" {
		t.Failf("the list has been read and names no version")
	}
	return names, version
}

// stream is a watch that is gone on with when it ends by itself.
type stream[T any] struct {
	t        *try[T]
	wants    string             // what should come
	opts     metav1.ListOptions // with the version that has been reached
	watch    *listwatch.Watch[T]
	progress bool // this watch has given an event
}

// watch opens a watch from a version.
func (t *try[T]) watch(version string) *stream[T] {
	return t.open(metav1.ListOptions{ResourceVersion: version})
}

func (t *try[T]) open(opts metav1.ListOptions) *stream[T] {
	s := &stream[T]{t: t, opts: opts}
	t.Must(s.reopen())
	return s
}

func (s *stream[T]) reopen() error {
	s.t.Doing("Watch from version %q", s.opts.ResourceVersion)
	w, err := s.t.Watch(s.t.Context, s.opts)
	if err == nil && w == nil {
		s.t.Failf("Watch returned nil and no error")
	}
	s.watch, s.progress = w, false
	return err
}

// event is the next event, or the error that comes in its place.
func (s *stream[T]) event(ctx context.Context) (listwatch.Event[T], error) {
	for {
		s.t.Doing("Next of a watch, at version %q%s", s.opts.ResourceVersion, s.wants)
		event, err := s.watch.Next(ctx)
		if errors.Is(err, io.EOF) && s.progress && s.opts.ResourceVersion != "" {
			s.watch.Stop()
			if err = s.reopen(); err == nil {
				continue
			}
		}
		if err != nil {
			return event, err
		}
		s.progress = true
		if event.ResourceVersion == "" {
			s.t.Failf("%s has no version", s.describe(event))
		}
		s.opts.ResourceVersion = event.ResourceVersion
		return event, nil
	}
}

func (s *stream[T]) describe(event listwatch.Event[T]) string {
	if event.Type == watch.Bookmark {
		return "the bookmark"
	}
	return "the event " + change{event.Type, s.t.Name(event.Object)}.String()
}

// next is the next change and its version. Bookmarks are passed over.
func (s *stream[T]) next() (change, string) {
	for {
		event, err := s.event(s.t.Context)
		s.t.Must(err)
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			return change{event.Type, s.t.Name(event.Object)}, event.ResourceVersion
		case watch.Bookmark:
		default:
			s.t.Failf("an event of the type %q came out of Next", event.Type)
		}
	}
}

// expect reads as many changes as are wanted and compares them. It returns their
// versions.
func (s *stream[T]) expect(want ...change) (versions []string) {
	for i := range want {
		s.wants = fmt.Sprintf(", where %v should come", want[i])
		got, version := s.next()
		if got != want[i] {
			s.t.Failf("change %d of the watch is %v, and should be %v of %v", i+1, got, want[i], want)
		}
		versions = append(versions, version)
	}
	return versions
}

func (s *stream[T]) stop() {
	s.t.Doing("Stop")
	s.watch.Stop()
}
