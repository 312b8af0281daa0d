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

// initial records the initial state that a watch has delivered.
type initial[T any] struct {
	t          *caseRun[T]
	seen       map[string]bool
	endVersion string // the version of the final bookmark, "" before it
	afterEnd   []change
}

// watchList requests the initial state of three objects, and creates a fourth as
// soon as the watch is open. That object may arrive before or after the final
// bookmark.
func watchList[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"), created("c"))
	yes := true
	s := &stream[T]{t: t, opts: metav1.ListOptions{
		SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	}}
	if err := s.reopen(); err != nil {
		t.streamingRefused("Watch: %v", err)
		return
	}
	defer func() { s.stop() }()
	t.apply(created("d"))
	ctx, cancel := context.WithTimeout(t.Context, t.Trial.Timeout/4)
	defer cancel()
	received := &initial[T]{t: t, seen: map[string]bool{}}
	for received.endVersion == "" {
		t.Step("Next of a watch with SendInitialEvents")
		event, err := s.watch.Next(ctx)
		switch {
		case err == nil:
			received.record(event.Type, event.Object, event.ResourceVersion, event.InitialEventsEnd)
			s.opts.ResourceVersion = event.ResourceVersion
			continue
		case ctx.Err() != nil:
			t.streamingRefused("the option is ignored: within %v the objects %q were received, and no final bookmark", t.Trial.Timeout/4, slices.Sorted(maps.Keys(received.seen)))
		case errors.Is(err, io.EOF):
			t.streamingRefused("the watch ended after the objects %q, without a final bookmark", slices.Sorted(maps.Keys(received.seen)))
		case len(received.seen) > 0:
			t.Failf("the watch failed after the objects %q: %w", slices.Sorted(maps.Keys(received.seen)), err)
		default:
			t.streamingRefused("Next: %v", err)
		}
		return
	}
	s.opts.SendInitialEvents, s.opts.ResourceVersionMatch, s.progress = nil, "", true
	s.wanted = fmt.Sprintf(", waiting for %v", created("d"))
	for !received.seen["d"] {
		event, err := s.event(t.Context)
		t.Must(err)
		received.record(event.Type, event.Object, event.ResourceVersion, event.InitialEventsEnd)
	}
	t.apply(updated("a"))
	s.expect(updated("a"))
	t.expectResume(received.endVersion, "of the final bookmark", append(received.afterEnd, updated("a")))
}

// record records an event and checks that it is valid at this point.
func (i *initial[T]) record(typ watch.EventType, object T, version string, end bool) {
	switch {
	case typ == watch.Bookmark && !end:
	case typ == watch.Bookmark:
		if i.endVersion != "" {
			i.t.Failf("the watch delivers the final bookmark twice")
		}
		for _, name := range []string{"a", "b", "c"} {
			if !i.seen[name] {
				i.t.Failf("the final bookmark is received before the object %q", name)
			}
		}
		if version == "" {
			i.t.Failf("the final bookmark has no version")
		}
		i.endVersion = version
	default:
		c := change{typ, i.t.Name(object)}
		if typ != watch.Added || i.seen[c.name] {
			i.t.Failf("received %v after %q, although only %q was created", c, slices.Sorted(maps.Keys(i.seen)), "d")
		}
		i.seen[c.name] = true
		if i.endVersion != "" {
			i.afterEnd = append(i.afterEnd, c)
		}
	}
}

// streamingRefused ends the case for a source that does not stream its initial
// state.
func (t *caseRun[T]) streamingRefused(format string, args ...any) {
	if t.WatchList {
		t.Failf("the source does not stream its initial state. "+format, args...)
	}
	t.Note("the source does not stream its initial state, which is allowed. "+format, args...)
}
