package informer

import (
	"fmt"
	"strconv"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkAdd(t *judge.T, parts stack.Parts) {
	i := newInformer(t, parts, nil, nil)
	i.indexer.Apply([]stack.Object{object("a", "1"), object("b", "1"), object("c", "1")}, nil)
	defer i.run(untilDone)()
	release := make(chan struct{})
	r := newRecorder()
	r.during = func(string) { <-release }
	returned := false
	t.Go("AddEventHandler", func() { i.AddEventHandler(r); returned = true })
	settle()
	close(release)
	if !returned {
		t.Fatalf("AddEventHandler, with three objects present, does not return while the handler runs: it must not call the handler itself, nor wait for its calls")
	}
	i.received(r, "AddEventHandler with a@1, b@1 and c@1 present", "add a@1 (initial), add b@1 (initial), add c@1 (initial)")
}

// checkBlocked writes more changes than a usual buffer has.
func checkBlocked(t *judge.T, parts stack.Parts) {
	const objects, count = 400, 20_000
	i := newInformer(t, parts, nil, nil)
	release := make(chan struct{})
	blocked := []*recorder{newRecorder(), newRecorder(), newRecorder()}
	for _, r := range blocked {
		r.during = func(string) { <-release }
		i.handle(r)
	}
	other := i.handle(newRecorder())
	cancel := i.run(untilDone)
	for n := range count {
		_ = i.queue.Update(object(strconv.Itoa(n%objects), strconv.Itoa(n/objects)))
	}
	settle()
	newest := 0
	for _, object := range i.indexer.List() {
		if object.ResourceVersion == strconv.Itoa(count/objects-1) {
			newest++
		}
	}
	others := len(other.calls)
	// A loop that waits for a handler may have the mutex of the two calls.
	returns := newest < objects || others < count || t.Returns("AddEventHandler, HasSynced", func() {
		i.AddEventHandler(newRecorder())
		i.HasSynced()
	})
	close(release)
	switch {
	case newest < objects:
		t.Fatalf("three handlers block, and each of %d objects is changed %d times: the indexer has the last state of only %d\nThe loop must not wait for a handler: what waits for one has no limit", objects, count/objects, newest)
	case others < count:
		t.Fatalf("three handlers block, and there are %d changes: another handler has received only %d\nEach handler needs a goroutine and a list of its own", count, others)
	case !returns:
		t.Fatalf("three handlers block, and AddEventHandler or HasSynced does not return: call a handler without a mutex that they need")
	}
	settle()
	for _, r := range blocked {
		if got := len(r.calls); got != count {
			t.Fatalf("a handler blocked during %d changes, and has received %d after that", count, got)
		}
	}
	i.stop(cancel)
}

// checkOrder changes two objects in turn. The handler is slower than the changes.
func checkOrder(t *judge.T, parts stack.Parts) {
	const count = 50
	i := newInformer(t, parts, nil, nil)
	r := newRecorder()
	r.during = func(string) { time.Sleep(time.Millisecond) }
	i.handle(r)
	defer i.run(untilDone)()
	late := newRecorder()
	late.during = r.during
	i.handle(late)
	i.replace()
	settle()
	var want []string
	for n := range count {
		name := string("ab"[n%2])
		_ = i.queue.Update(object(name, strconv.Itoa(n)))
		time.Sleep(time.Microsecond)
		if n < 2 {
			want = append(want, fmt.Sprintf("add %s@%d", name, n))
		} else {
			want = append(want, fmt.Sprintf("update %s@%d to %s@%d", name, n-2, name, n))
		}
	}
	pass(time.Minute)
	if r.overlap || late.overlap {
		t.Fatalf("a handler is called while its call before is running: one goroutine must make all calls of a handler")
	}
	for _, r := range []*recorder{r, late} {
		for n := range want {
			if n >= len(r.calls) {
				t.Fatalf("after %d changes, a handler that takes 1ms has received only %d", count, n)
			}
			if r.calls[n] != want[n] {
				t.Fatalf("after a@0, b@1, a@2 to b@%d, call number %d of a handler that takes 1ms is %q; want %q", count-1, n+1, r.calls[n], want[n])
			}
		}
	}
}
