package resume

import (
	"io"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The checks of watches that deliver and end.

func checkEvents(t *judge.T, parts stack.Parts) {
	r := follow(t, parts, scripted.Opens(scripted.Added("a", "11"), scripted.Modified("a", "12"), scripted.Deleted("a", "13"), scripted.Added("b", "14"), scripted.Bookmark("20")))
	r.opensFrom(0, "10", "Follow from version 10")
	r.stored("add a 11, update a 12, delete a 13, add b 14, bookmark 20", "ADDED, MODIFIED, DELETED, ADDED, BOOKMARK")
	r.end()
	if r.last != "20" {
		t.Fatalf("Follow returns the version %q, want 20, that of the last event", r.last)
	}
}

func checkEnd(t *judge.T, parts stack.Parts) {
	r := follow(t, parts,
		scripted.Opens(scripted.Added("a", "11"), scripted.Modified("a", "12"), scripted.End(io.EOF)),
		scripted.Opens(scripted.Deleted("a", "13"), scripted.End(io.EOF)))
	r.after(30 * time.Minute)
	const end = "events with versions 11 and 12, then the end (io.EOF)"
	r.opensFrom(1, "12", end)
	r.opensAt(1, 0, end, "the end of a watch with events is no failure and needs no back-off")
	r.opensFrom(2, "13", "a second watch with the version 13")
	r.stored("add a 11, update a 12, delete a 13", "two watches")
}

func checkBookmark(t *judge.T, parts stack.Parts) {
	r := follow(t, parts, scripted.Opens(scripted.Added("a", "11"), scripted.Bookmark("500"), scripted.End(io.EOF)))
	r.after(30 * time.Minute)
	r.opensFrom(1, "500", "an event with version 11, a bookmark with version 500, then the end")
	r.stored("add a 11, bookmark 500", "an event and a bookmark")
}

func checkQuietEnd(t *judge.T, parts stack.Parts) {
	r := follow(t, parts, scripted.Opens(scripted.Pause(8*time.Minute), scripted.End(io.EOF)))
	r.after(30 * time.Minute)
	const end = "a watch that ends after 8 minutes without an event"
	r.opensFrom(1, "10", end)
	r.opensAt(1, 8*time.Minute, end, "a server ends each watch after some minutes, which is no failure")
}

func checkShort(t *judge.T, parts stack.Parts) {
	short := scripted.Opens(scripted.Pause(999*time.Millisecond), scripted.End(io.EOF))
	r := follow(t, parts, short, short, scripted.Opens(scripted.Pause(time.Second), scripted.End(io.EOF)))
	r.after(30 * time.Minute)
	const end = "a watch that ends after 0.999 s without an event"
	const why = "a server that ends each watch at once would receive requests in an endless loop; wait for Backoff.Next"
	r.opensAt(1, time.Minute+999*time.Millisecond, end, why)
	r.opensAt(2, 3*time.Minute+1998*time.Millisecond, "a second "+end[2:], why)
	r.opensAt(3, 3*time.Minute+2998*time.Millisecond, "a watch that ends after one second", "from one second on, the end is no failure")
	r.end()

	late := follow(t, parts, scripted.Late(time.Second, scripted.Opens(scripted.End(io.EOF))))
	late.after(30 * time.Minute)
	late.opensAt(1, time.Second, "a response after one second, then the end at once", "the second begins with the request")
}

func checkStopped(t *judge.T, parts stack.Parts) {
	// The first two watches are silent, and have no end of their own.
	r := follow(t, parts, scripted.Opens(scripted.Added("a", "11")), scripted.Opens(scripted.Added("a", "12")),
		scripted.Opens(scripted.Added("a", "13"), scripted.End(io.EOF)), scripted.Opens(scripted.End(io.ErrUnexpectedEOF)))
	r.after(2*silence + 10*time.Minute)
	r.request(4, "two silent watches, one that ends, and one that breaks")
	if leak := r.source.Leak(false); leak != "" {
		t.Fatalf("%s", leak)
	}
	r.end()
	if leak := r.source.Leak(true); leak != "" {
		t.Fatalf("Follow has returned: %s", leak)
	}
}
