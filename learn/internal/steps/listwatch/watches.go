package listwatch

import (
	"context"
	"errors"
	"io"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
)

// The checks of watches.

// from are the options of a watch from the version of a list.
func (r *run) from() metav1.ListOptions {
	_, version := r.listed(metav1.ListOptions{})
	return metav1.ListOptions{ResourceVersion: version}
}

// receives fails unless Next returns an event of this type and object.
func (r *run) receives(w *listwatch.Watch[stack.Object], kind watch.EventType, name, after string) {
	event, err := r.next(w, after)
	if err != nil || event.Object == nil || event.Type != kind || event.Object.Name != name {
		r.t.Fatalf("%s: Next returns %s, want %s %s; the requests are: %s", after, outcome(event, err), kind, name, r.requests())
	}
}

func checkBetween(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	options := r.from()
	apitest.Create(t, r.server, configMap("shop", "c"))
	apitest.Delete(t, r.server, configMap("shop", "a"))
	w := r.watch(t.Context(), options)
	if request := r.server.Requests(apitest.Match{Verb: "watch"})[0]; request.Parameter("resourceVersion") != options.ResourceVersion {
		t.Fatalf("Watch from version %s sends %s, without the resourceVersion %[1]s: the changes since the list are then missing, or come as if they were new", options.ResourceVersion, line(request))
	}
	const after = "a list, then c created and a deleted, then a watch from the version of the list"
	r.receives(w, watch.Added, "c", after)
	r.receives(w, watch.Deleted, "a", after)
	apitest.Create(t, r.server, configMap("shop", "d"))
	r.receives(w, watch.Added, "d", after+", then d created")
}

func checkNamespace(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	w := r.watch(t.Context(), r.from())
	apitest.Create(t, r.server, configMap("elsewhere", "x"))
	apitest.Create(t, r.server, configMap("shop", "y"))
	r.receives(w, watch.Added, "y", "a watch of the namespace shop, then x created in the namespace elsewhere, and y in shop")

	all := newRun(t, parts, "")
	objects, version := all.listed(metav1.ListOptions{})
	if got := names(objects); got != "a b other" {
		t.Fatalf("the namespace is \"\": the list has %q, want a, b and other, the objects of all namespaces; the requests are: %s", got, all.requests())
	}
	w = all.watch(t.Context(), metav1.ListOptions{ResourceVersion: version})
	apitest.Create(t, all.server, configMap("elsewhere", "x"))
	all.receives(w, watch.Added, "x", "a watch of all namespaces, then x created in the namespace elsewhere")
}

func checkBookmarks(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	w := r.watch(t.Context(), r.from())
	if request := r.server.Requests(apitest.Match{Verb: "watch"})[0]; request.Parameter("allowWatchBookmarks") != "true" {
		t.Fatalf("Watch sends %s, without allowWatchBookmarks=true: the server sends no bookmarks, and the version of a quiet watch expires", line(request))
	}
	apitest.Create(t, r.server, configMap("elsewhere", "x"))
	event, err := r.next(w, "a change in another namespace")
	if err != nil || event.Type != watch.Bookmark {
		t.Fatalf("a change in another namespace, and a minute: Next returns %s, want the server's BOOKMARK", outcome(event, err))
	}
	if want := r.current(); event.ResourceVersion != want {
		t.Fatalf("a bookmark: its version is %q, want %s", event.ResourceVersion, want)
	}
}

func checkRefused(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	r.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.Fail(410, 0)})
	t.Unblocked("Watch", func() {
		w, err := r.source.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
		if !apierrors.IsResourceExpired(err) {
			t.Errorf("a watch that is answered with 410: Watch returns the error %v, want the 410", err)
		} else if w != nil {
			t.Errorf("a watch that is answered with 410: Watch returns the 410 and a watch, want no watch")
		}
	})
}

func checkDecoder(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	options := r.from()
	for _, name := range []string{"c", "d", "e"} {
		apitest.Create(t, r.server, configMap("shop", name))
	}
	first, second := r.watch(t.Context(), options), r.watch(t.Context(), options)
	synctest.Wait() // the events are in the connection, one directly behind the other
	for _, name := range []string{"c", "d", "e"} {
		const after = "two watches, each with the events c, d and e in one Read (a decoder may have read further than the event that it has returned)"
		r.receives(first, watch.Added, name, after)
		r.receives(second, watch.Added, name, after)
	}
	if got := r.decoders.Load(); got != 2 {
		t.Fatalf("two watches with three events each create %d decoders, want 2: a decoder may have read further than the event that it has returned", got)
	}
	first.Stop()
	apitest.Create(t, r.server, configMap("shop", "f"))
	r.receives(second, watch.Added, "f", "two watches, and the first one stopped")
}

func checkDecoderError(t *judge.T, parts stack.Parts) {
	for _, c := range []struct {
		end    string
		action apitest.Action
		is     func(error) bool
	}{
		{"an ERROR event with a 410", apitest.Fail(410, 0), apierrors.IsResourceExpired},
		{"the end of the stream (io.EOF)", apitest.Cut(), func(err error) bool { return err == io.EOF }},
		{"the end of the connection (io.ErrUnexpectedEOF)", apitest.Break(), func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	} {
		r := newRun(t, parts, "shop")
		options := r.from()
		r.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.AfterEvents(1, c.action)})
		w := r.watch(t.Context(), options)
		for _, name := range []string{"c", "d"} {
			apitest.Create(t, r.server, configMap("shop", name))
		}
		r.receives(w, watch.Added, "c", "an event, then "+c.end)
		for range 2 {
			if event, err := r.next(w, c.end); !c.is(err) {
				t.Fatalf("an event, then %s: Next returns %s, want the error of the decoder, and again at each later call", c.end, outcome(event, err))
			}
		}
		r.closed(c.end)
	}
}

func checkStop(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	options := r.from()
	w := r.watch(t.Context(), options)
	result := r.waiting(t.Context(), w)
	t.Unblocked("Stop", w.Stop)
	if err := r.ends(result, "Stop during a Next"); err != io.EOF {
		t.Fatalf("Stop during a Next: Next returns the error %v, want io.EOF", err)
	}
	r.closed("Stop during a Next")
	t.Unblocked("a second Stop", w.Stop)

	apitest.Create(t, r.server, configMap("shop", "c"))
	stopped := r.watch(t.Context(), options)
	t.Unblocked("Stop", stopped.Stop)
	r.closed("Stop without a Next")
	if event, err := r.next(stopped, "Stop"); err != io.EOF {
		t.Fatalf("Stop, then Next: it returns %s, want io.EOF", outcome(event, err))
	}

	buffered := r.buffered(t.Context(), options)
	t.Unblocked("Stop", buffered.Stop)
	if event, err := r.next(buffered, "Stop"); err != io.EOF {
		t.Fatalf("two events in one Read, a Next, Stop, then Next: it returns %s, want io.EOF; the decoder may have read further than the event that it has returned", outcome(event, err))
	}
}

// buffered opens a watch whose decoder has read two events and returned the first.
func (r *run) buffered(ctx context.Context, options metav1.ListOptions) *listwatch.Watch[stack.Object] {
	for _, name := range []string{"first", "second"} {
		apitest.Create(r.t, r.server, configMap("shop", name))
	}
	r.ahead = 1
	w := r.watch(ctx, options)
	synctest.Wait()
	if event, err := r.next(w, "two events in one Read"); err != nil {
		r.t.Fatalf("two events in one Read: the first Next returns %s, want an event", outcome(event, err))
	}
	return w
}

func checkWatchContext(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	options := r.from()
	for _, of := range []string{"Watch", "Next"} {
		ctx, cancel := context.WithCancel(t.Context())
		ofWatch, ofNext := ctx, t.Context()
		if of == "Next" {
			ofWatch, ofNext = t.Context(), ctx
		}
		// In which order the end of a context reaches the connection and the solution is
		// random for each watch.
		var watches []*listwatch.Watch[stack.Object]
		var results []<-chan next
		for range 30 {
			w := r.watch(ofWatch, options)
			watches, results = append(watches, w), append(results, r.waiting(ofNext, w))
		}
		cancel()
		after := "the context of " + of + " ends during a Next"
		for _, result := range results {
			if err := r.ends(result, after); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: Next returns the error %v, want that of the context; the client closes the body, too, when the context of its request ends, and the error of the read may come first: look at both contexts after an error of the decoder", after, err)
			}
		}
		for _, w := range watches {
			if _, err := r.next(w, after); err == nil {
				t.Fatalf("%s: a later Next returns no error, although the watch has ended", after)
			}
		}
		r.closed(after)
	}

	ctx, cancel := context.WithCancel(t.Context())
	w := r.buffered(ctx, options)
	cancel()
	synctest.Wait()
	if event, err := r.next(w, "the end of the context of Watch"); !errors.Is(err, context.Canceled) {
		t.Fatalf("two events in one Read, a Next, the context of Watch ends, then Next: it returns %s, want the error of the context; the decoder may have read further than the event that it has returned", outcome(event, err))
	}
}
