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
	i.indexer.Apply([]stack.Object{object("a", "1")}, nil)
	defer i.run(untilDone)()
	release := make(chan struct{})
	r := newRecorder()
	r.during = func(string) { <-release }
	returned := false
	t.Go("AddEventHandler", func() { i.AddEventHandler(r); returned = true })
	settle()
	close(release)
	if !returned {
		t.Fatalf("AddEventHandler, with a@1 present, does not return while the handler runs: it must not call the handler itself")
	}
	i.received(r, "AddEventHandler with a@1 present", "add a@1 (initial)")
}

// checkBlocked writes more changes than a usual buffer has.
func checkBlocked(t *judge.T, parts stack.Parts) {
	const count = 3000
	i := newInformer(t, parts, nil, nil)
	release := make(chan struct{})
	blocked := newRecorder()
	blocked.during = func(string) { <-release }
	i.handle(blocked)
	other := i.handle(newRecorder())
	cancel := i.run(untilDone)
	for n := range count {
		_ = i.queue.Add(object("n"+strconv.Itoa(n), "1"))
	}
	settle()
	stored, others := len(i.indexer.List()), len(other.objects)
	close(release)
	switch {
	case stored < count:
		t.Fatalf("one handler blocks, and %d objects are added: the indexer has only %d\nThe loop must not wait for a handler: what waits for one has no limit", count, stored)
	case others < count:
		t.Fatalf("one handler blocks, and %d objects are added: another handler has received only %d\nEach handler needs a goroutine and a list of its own", count, others)
	}
	settle()
	if got := len(blocked.objects); got != count {
		t.Fatalf("a handler blocked while %d objects were added, and has received %d after that", count, got)
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
	if r.overlap {
		t.Fatalf("a handler is called while its call before is running: one goroutine must make all calls of a handler")
	}
	for n := range want {
		if n >= len(r.calls) {
			t.Fatalf("after %d changes, a handler that takes 1ms has received only %d", count, n)
		}
		if r.calls[n] != want[n] {
			t.Fatalf("after a@0, b@1, a@2 to b@%d, call number %d of a handler that takes 1ms is %q; want %q", count-1, n+1, r.calls[n], want[n])
		}
	}
}
