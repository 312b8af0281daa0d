package listwatchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

// trial is one case tried on one source. Its methods fail it by a panic, which
// perform turns into an error, so that cases read as what they do.
type trial[T any] struct {
	Source[T]
	ctx context.Context // ends with the trial

	mu    sync.Mutex
	doing string // for the case that it never returns
	notes []string
}

// failure is the panic of a trial that has failed.
type failure struct{ error }

// perform tries the case on a source, for as long as that has patience.
func (c testCase[T]) perform(s Source[T]) (notes []string, err error) {
	if s.Patience <= 0 {
		s.Patience = defaultPatience
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t := &trial[T]{Source: s, ctx: ctx}
	done := make(chan error, 1)
	go func() {
		defer func() {
			switch p := recover().(type) {
			case nil:
				done <- nil
			case failure:
				done <- p.error
			default:
				done <- fmt.Errorf("the source panicked: %v\n%s", p, debug.Stack())
			}
		}()
		c.run(t)
	}()
	timer := time.NewTimer(s.Patience)
	defer timer.Stop()
	select {
	case err = <-done:
	case <-timer.C:
		err = fmt.Errorf("after %v it is not done with this: %s", s.Patience, t.does())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notes, err
}

func (t *trial[T]) failf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// note is something that whoever reads the test's log should know.
func (t *trial[T]) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *trial[T]) does(what ...string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, now := range what {
		t.doing = now
	}
	return t.doing
}

// must fails the trial if what is being done has failed.
func (t *trial[T]) must(err error) {
	if err != nil {
		t.failf("%s: %w", t.does(), err)
	}
}

// change is something that happens to an object.
type change struct {
	typ  watch.EventType
	name string
}

func (c change) String() string { return string(c.typ) + " " + c.name }

// make brings changes about.
func (t *trial[T]) make(changes ...change) {
	for _, c := range changes {
		do := t.Create
		switch c.typ {
		case watch.Modified:
			do = t.Update
		case watch.Deleted:
			do = t.Delete
		}
		t.does("bring about " + c.String())
		t.must(do(c.name))
	}
}

// list reads a list to its end.
func (t *trial[T]) list(opts metav1.ListOptions) (names []string, version string) {
	t.does("List")
	list, err := t.List(t.ctx, opts)
	t.must(err)
	if list == nil {
		t.failf("List returned nil and no error")
	}
	t.does("read the list")
	items, err := list.Slice()
	t.must(err)
	for _, item := range items {
		names = append(names, t.Name(item))
	}
	if version = list.ResourceVersion(); version == "" {
		t.failf("the list has been read and names no version")
	}
	return names, version
}

// stream is a watch that is gone on with when it ends by itself.
type stream[T any] struct {
	t        *trial[T]
	wants    string             // what should come
	opts     metav1.ListOptions // with the version that has been reached
	watch    *listwatch.Watch[T]
	progress bool // this watch has given an event
}

// watch opens a watch from a version.
func (t *trial[T]) watch(version string) *stream[T] {
	return t.open(metav1.ListOptions{ResourceVersion: version})
}

func (t *trial[T]) open(opts metav1.ListOptions) *stream[T] {
	s := &stream[T]{t: t, opts: opts}
	t.must(s.reopen())
	return s
}

func (s *stream[T]) reopen() error {
	s.t.does(fmt.Sprintf("Watch from version %q", s.opts.ResourceVersion))
	w, err := s.t.Watch(s.t.ctx, s.opts)
	if err == nil && w == nil {
		s.t.failf("Watch returned nil and no error")
	}
	s.watch, s.progress = w, false
	return err
}

// event is the next event, or the error that comes in its place.
func (s *stream[T]) event(ctx context.Context) (listwatch.Event[T], error) {
	for {
		s.t.does(fmt.Sprintf("Next of a watch, at version %q%s", s.opts.ResourceVersion, s.wants))
		event, err := s.watch.Next(ctx)
		if errors.Is(err, io.EOF) && s.progress && s.opts.ResourceVersion != "" {
			s.watch.Stop()
			s.opts.SendInitialEvents = nil
			if err = s.reopen(); err == nil {
				continue
			}
		}
		if err != nil {
			return event, err
		}
		s.progress = true
		if event.ResourceVersion == "" {
			s.t.failf("%s has no version", s.describe(event))
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
		event, err := s.event(s.t.ctx)
		s.t.must(err)
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			return change{event.Type, s.t.Name(event.Object)}, event.ResourceVersion
		case watch.Bookmark:
		default:
			s.t.failf("an event of the type %q came out of Next", event.Type)
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
			s.t.failf("change %d of the watch is %v, and should be %v of %v", i+1, got, want[i], want)
		}
		versions = append(versions, version)
	}
	return versions
}

func (s *stream[T]) stop() {
	s.t.does("Stop")
	s.watch.Stop()
}
