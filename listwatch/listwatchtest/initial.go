package listwatchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// initial is what has come of the initial state that a watch was asked for.
type initial[T any] struct {
	t      *try[T]
	seen   map[string]bool
	mark   string // the version of the end, once it has been marked
	behind []change
}

// watchList asks a watch for the initial state of three objects, and makes a
// fourth as soon as the watch is open: that may come before the end or after it.
func watchList[T any](t *try[T]) {
	t.make(created("a"), created("b"), created("c"))
	yes := true
	s := &stream[T]{t: t, opts: metav1.ListOptions{
		SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	}}
	if err := s.reopen(); err != nil {
		t.refused("Watch: %v", err)
		return
	}
	defer func() { s.stop() }()
	t.make(created("d"))
	ctx, cancel := context.WithTimeout(t.Context, t.Trial.Patience/4)
	defer cancel()
	have := &initial[T]{t: t, seen: map[string]bool{}}
	for have.mark == "" {
		t.Doing("Next of a watch that is asked for the initial state")
		event, err := s.watch.Next(ctx)
		switch {
		case err == nil:
			have.take(event.Type, event.Object, event.ResourceVersion, event.InitialEventsEnd)
			s.opts.ResourceVersion = event.ResourceVersion
			continue
		case ctx.Err() != nil:
			t.refused("the option is ignored: in %v the objects %q came, and no mark of the end", t.Trial.Patience/4, slices.Sorted(maps.Keys(have.seen)))
		case errors.Is(err, io.EOF):
			t.refused("the watch ended after the objects %q, without a mark of the end", slices.Sorted(maps.Keys(have.seen)))
		case len(have.seen) > 0:
			t.Failf("the watch broke after the objects %q: %w", slices.Sorted(maps.Keys(have.seen)), err)
		default:
			t.refused("Next: %v", err)
		}
		return
	}
	s.opts.SendInitialEvents, s.opts.ResourceVersionMatch, s.progress = nil, "", true
	s.wants = fmt.Sprintf(", where %v should come", created("d"))
	for !have.seen["d"] {
		event, err := s.event(t.Context)
		t.Must(err)
		have.take(event.Type, event.Object, event.ResourceVersion, event.InitialEventsEnd)
	}
	t.make(updated("a"))
	s.expect(updated("a"))
	t.goesOn(have.mark, "of the mark", append(have.behind, updated("a")))
}

// take notes an event and whether it may come here.
func (i *initial[T]) take(typ watch.EventType, object T, version string, end bool) {
	switch {
	case typ == watch.Bookmark && !end:
	case typ == watch.Bookmark:
		if i.mark != "" {
			i.t.Failf("the end of the initial state is marked twice")
		}
		for _, name := range []string{"a", "b", "c"} {
			if !i.seen[name] {
				i.t.Failf("the end of the initial state is marked, and %q has not come", name)
			}
		}
		if version == "" {
			i.t.Failf("the mark of the end has no version")
		}
		i.mark = version
	default:
		c := change{typ, i.t.Name(object)}
		if typ != watch.Added || i.seen[c.name] {
			i.t.Failf("%v came, after %q: nothing has happened but that %q was created", c, slices.Sorted(maps.Keys(i.seen)), "d")
		}
		i.seen[c.name] = true
		if i.mark != "" {
			i.behind = append(i.behind, c)
		}
	}
}

// refused ends the case of a source that does not stream its initial state.
func (t *try[T]) refused(format string, args ...any) {
	if t.WatchList {
		t.Failf("the source does not stream its initial state. "+format, args...)
	}
	t.Note("the source does not stream its initial state, which is allowed. "+format, args...)
}
