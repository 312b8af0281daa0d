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

// caseRun is one run of a test case on one source.
type caseRun[T any] struct {
	*trial.Trial
	Source[T]
}

// perform runs the case on a source, for at most its Timeout.
func (c testCase[T]) perform(s Source[T]) (notes []string, err error) {
	return trial.Run(s.Timeout, func(t *trial.Trial) { c.run(&caseRun[T]{t, s}) })
}

// change is one change of one object.
type change struct {
	eventType watch.EventType
	name      string
}

func (c change) String() string { return string(c.eventType) + " " + c.name }

// apply applies changes to the source.
func (t *caseRun[T]) apply(changes ...change) {
	for _, c := range changes {
		operation := t.Create
		switch c.eventType {
		case watch.Modified:
			operation = t.Update
		case watch.Deleted:
			operation = t.Delete
		}
		t.Step("apply %v", c)
		t.Must(operation(c.name))
	}
}

// list reads a list to its end.
func (t *caseRun[T]) list(opts metav1.ListOptions) (names []string, version string) {
	t.Step("List")
	list, err := t.List(t.Context, opts)
	t.Must(err)
	if list == nil {
		t.Failf("List returned nil and no error")
	}
	t.Step("read the list")
	items, err := list.Slice()
	t.Must(err)
	for _, item := range items {
		names = append(names, t.Name(item))
	}
	if version = list.ResourceVersion(); version == "" {
		t.Failf("the list has no version after it has been read")
	}
	return names, version
}

// stream is a watch that is resumed when it ends normally.
type stream[T any] struct {
	t        *caseRun[T]
	wanted   string             // the expected event, for messages
	opts     metav1.ListOptions // with the last version that was received
	watch    *listwatch.Watch[T]
	progress bool // this watch has delivered an event
}

// watch opens a watch from a version.
func (t *caseRun[T]) watch(version string) *stream[T] {
	return t.open(metav1.ListOptions{ResourceVersion: version})
}

func (t *caseRun[T]) open(opts metav1.ListOptions) *stream[T] {
	s := &stream[T]{t: t, opts: opts}
	t.Must(s.reopen())
	return s
}

func (s *stream[T]) reopen() error {
	s.t.Step("Watch from version %q", s.opts.ResourceVersion)
	w, err := s.t.Watch(s.t.Context, s.opts)
	if err == nil && w == nil {
		s.t.Failf("Watch returned nil and no error")
	}
	s.watch, s.progress = w, false
	return err
}

// event returns the next event, or an error.
func (s *stream[T]) event(ctx context.Context) (listwatch.Event[T], error) {
	for {
		s.t.Step("Next of a watch, at version %q%s", s.opts.ResourceVersion, s.wanted)
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

// next returns the next change and its version. It skips bookmarks.
func (s *stream[T]) next() (change, string) {
	for {
		event, err := s.event(s.t.Context)
		s.t.Must(err)
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			return change{event.Type, s.t.Name(event.Object)}, event.ResourceVersion
		case watch.Bookmark:
		default:
			s.t.Failf("Next returned an event of type %q", event.Type)
		}
	}
}

// expect reads and checks the given changes. It returns their versions.
func (s *stream[T]) expect(want ...change) (versions []string) {
	for i := range want {
		s.wanted = fmt.Sprintf(", waiting for %v", want[i])
		got, version := s.next()
		if got != want[i] {
			s.t.Failf("change %d of the watch is %v, want %v of %v", i+1, got, want[i], want)
		}
		versions = append(versions, version)
	}
	return versions
}

func (s *stream[T]) stop() {
	s.t.Step("Stop")
	s.watch.Stop()
}
