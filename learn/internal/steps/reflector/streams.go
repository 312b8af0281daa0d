package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The checks of streamed lists, and of the context.

// startStream starts a Reflector with a streamed list. A list has the objects a and c.
func startStream(t *judge.T, parts stack.Parts, stream scripted.Answer) *run {
	r := newRun(t, &scripted.Source{Watches: []scripted.Answer{stream}, Lists: []scripted.Answer{scripted.Lists("30", a, c)}})
	r.start(parts, true)
	return r
}

func checkStreamOptions(t *judge.T, parts stack.Parts) {
	r := startStream(t, parts, scripted.Opens(scripted.Mark("20")))
	const after = "Stream is set"
	r.requested("streamed list", after+" (a streamed list is a watch with SendInitialEvents and without a version)")
	options := r.source.Requests()[0].Options
	if options.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan {
		t.Fatalf("%s: ResourceVersionMatch is %q, want NotOlderThan: a server rejects SendInitialEvents without it", after, options.ResourceVersionMatch)
	}
	if !options.AllowWatchBookmarks {
		t.Fatalf("%s: AllowWatchBookmarks is not set: a server then sends no mark", after)
	}
}

func checkStream(t *judge.T, parts stack.Parts) {
	r := startStream(t, parts, scripted.Opens(scripted.Added("a", "8"), scripted.Pause(time.Minute), scripted.Added("b", "9"), scripted.Pause(time.Minute), scripted.Mark("20")))
	r.after(90 * time.Second)
	const before = "a streamed list with two objects, without the mark"
	r.stored("", before)
	if got := r.reflector.LastVersion(); got != "" {
		t.Fatalf("%s: LastVersion is %q, want none", before, got)
	}
	r.after(time.Minute)
	const after = "a streamed list with two objects and a mark with version 20"
	r.stored("replace a 8 b 9 to 20", after)
	r.followed("20", after)
	r.requested("streamed list", after)
	if got := r.reflector.LastVersion(); got != "20" {
		t.Fatalf("%s: LastVersion is %q, want 20", after, got)
	}
}

func checkStreamChanges(t *judge.T, parts stack.Parts) {
	r := startStream(t, parts, scripted.Opens(
		scripted.Added("a", "8"), scripted.Added("b", "9"), scripted.Modified("a", "11"), scripted.Deleted("b", "12"), scripted.Added("c", "18"), scripted.Mark("20")))
	r.stored("replace a 11 c 18 to 20", "ADDED a, ADDED b, MODIFIED a, DELETED b, ADDED c, then the mark")
}

func checkOtherBookmark(t *judge.T, parts stack.Parts) {
	r := startStream(t, parts, scripted.Opens(scripted.Added("a", "8"), scripted.Bookmark("15"), scripted.Pause(time.Minute), scripted.Added("b", "9"), scripted.Mark("20")))
	r.stored("", "ADDED a, then a bookmark without InitialEventsEnd")
	r.after(10 * time.Minute)
	r.stored("replace a 8 b 9 to 20", "ADDED a, a bookmark without InitialEventsEnd, ADDED b, then the mark")
}

func checkNoMark(t *judge.T, parts stack.Parts) {
	busy := []scripted.Step{scripted.Added("a", "8")}
	for version := 31; version < 200; version++ {
		busy = append(busy, scripted.Pause(time.Minute), scripted.Modified("a", strconv.Itoa(version)))
	}
	for _, c := range []struct {
		stream string
		answer scripted.Answer
	}{
		{"a stream of two objects, then silence", scripted.Opens(scripted.Added("a", "8"), scripted.Added("b", "9"))},
		{"a stream with a change every minute and no mark", scripted.Opens(busy...)},
		{"no response to the request for a streamed list", scripted.Silent()},
	} {
		r := startStream(t, parts, c.answer)
		r.after(silence - time.Second)
		r.stored("", c.stream)
		r.after(10 * time.Second)
		r.requestedAt(1, silence, c.stream, "the mark has one hour in all (Silence), however many events there are; then list")
		r.requested("streamed list, list", c.stream)
		r.stored("replace a 8 c 18 to 30", c.stream+", then a list")
		r.followed("30", c.stream+", then a list")
		r.end()
	}
}

func checkStreamEnds(t *judge.T, parts stack.Parts) {
	for _, err := range []error{io.EOF, fmt.Errorf("watch: %w", io.ErrUnexpectedEOF), errServer, errExpired} {
		r := startStream(t, parts, scripted.Opens(scripted.Added("a", "8"), scripted.Added("b", "9"), scripted.End(err)))
		r.after(10 * time.Minute)
		listed(r, fmt.Sprintf("a stream that ends with %q before the mark", err))
		r.end()
	}
}

// listed fails unless a list was requested at once after a streamed list had failed.
func listed(r *run, after string) {
	r.requested("streamed list, list", after)
	r.requestedAt(1, 0, after, "the list is another way to the same state and needs no back-off")
	r.stored("replace a 8 c 18 to 30", after+", then a list")
	r.followed("30", after+", then a list")
}

func checkRefused(t *judge.T, parts stack.Parts) {
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", field.ErrorList{field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")})
	for _, refused := range []error{apierrors.NewBadRequest("unknown parameter"), invalid} {
		r := startStream(t, parts, scripted.Fails(refused))
		r.after(10 * time.Minute)
		listed(r, fmt.Sprintf("a streamed list that is answered with %s", apierrors.ReasonForError(refused)))
		r.end()
	}
}

func checkStreamStopped(t *judge.T, parts stack.Parts) {
	for _, c := range []struct {
		stream string
		answer scripted.Answer
	}{
		{"the mark", scripted.Opens(scripted.Added("a", "8"), scripted.Mark("20"))},
		{"an hour without a mark", scripted.Opens(scripted.Added("a", "8"))},
		{"the end before the mark", scripted.Opens(scripted.Added("a", "8"), scripted.End(io.EOF))},
	} {
		r := newRun(t, &scripted.Source{Watches: []scripted.Answer{c.answer}, Lists: []scripted.Answer{scripted.Lists("30", a)}})
		r.begun = func() {
			if leak := r.source.Leak(true); leak != "" {
				t.Errorf("%s: the streamed list has not been stopped when Follow begins: call its Stop; Follow opens a watch of its own", c.stream)
			}
		}
		r.start(parts, true)
		r.after(2 * silence)
		if calls := len(r.versions()); calls != 1 {
			t.Fatalf("%s: Follow is called %d times, want once", c.stream, calls)
		}
		if leak := r.source.Leak(true); leak != "" {
			t.Fatalf("%s: %s", c.stream, leak)
		}
		r.end()
	}
}

func checkContext(t *judge.T, parts stack.Parts) {
	for _, c := range []struct {
		during string
		stream bool
		source *scripted.Source
	}{
		{"Run waits for a list", false, &scripted.Source{}},
		{"Run waits for the response to a streamed list", true, &scripted.Source{}},
		{"Run waits for the mark", true, &scripted.Source{Watches: []scripted.Answer{scripted.Opens(scripted.Added("a", "8"))}}},
		{"Run waits for Follow", false, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a)}}},
		{"Run waits for the back-off", false, &scripted.Source{Lists: []scripted.Answer{scripted.Fails(errServer)}}},
	} {
		r := newRun(t, c.source)
		r.start(parts, c.stream)
		r.after(time.Second)
		begin := time.Now()
		r.end()
		if took := time.Since(begin); took > 0 {
			t.Fatalf("the context ends while %s: Run returns %v later, want at once", c.during, took)
		}
		if !errors.Is(r.err, context.Canceled) {
			t.Fatalf("the context ends while %s: Run returns the error %v, want that of the context", c.during, r.err)
		}
		if leak := r.source.Leak(true); leak != "" {
			t.Fatalf("the context ends while %s: %s", c.during, leak)
		}
	}
}
