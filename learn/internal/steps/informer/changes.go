package informer

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkChanges(t *judge.T, parts stack.Parts) {
	i := newInformer(t, parts, nil, nil)
	first, second := newRecorder(), newRecorder()
	first.during = func(call string) {
		// No later change of shop/a is written before this call has returned.
		object, _ := i.indexer.Get("shop/a")
		want := map[string]string{"add a@1": "a@1", "update a@1 to a@2": "a@2", "delete a@3": "nil"}[call]
		if got := text(object); want != "" && got != want {
			t.Errorf("a handler is called for %q, and the indexer has %s: the indexer must have the change first", call, got)
		}
	}
	i.handle(first)
	i.handle(second)
	defer i.run(untilDone)()
	i.replace()
	settle()
	_ = i.queue.Add(object("a", "1"))
	settle()
	if got, _ := i.indexer.Get("shop/a"); text(got) != "a@1" {
		t.Fatalf("after Add a@1, the indexer has %s for shop/a", text(got))
	}
	_ = i.queue.Update(object("a", "2"))
	settle()
	_ = i.queue.Delete(object("a", "3"))
	settle()
	if got, found := i.indexer.Get("shop/a"); found {
		t.Fatalf("after Delete a@3, the indexer has %s", text(got))
	}
	for _, r := range []*recorder{first, second} {
		i.received(r, "Add a@1, Update a@2 and Delete a@3", "add a@1, update a@1 to a@2, delete a@3")
	}
}

// checkCalls writes several changes before the loop runs: they come in one call of
// process.
func checkCalls(t *judge.T, parts stack.Parts) {
	i := newInformer(t, parts, nil, nil)
	r := i.handle(newRecorder())
	defer i.run(untilDone)()
	i.replace()
	settle()
	_ = i.queue.Update(object("a", "1"))
	i.received(r, "Update a@1 of an object that the indexer does not have", "add a@1")
	_ = i.queue.Add(object("a", "2"))
	i.replace(object("a", "3"))
	i.received(r, "Update a@1, and Add a@2 and a Replace with a@3", "add a@1, update a@1 to a@2, update a@2 to a@3")

	i = newInformer(t, parts, nil, nil)
	i.indexer.Apply([]stack.Object{object("b", "1")}, nil)
	r = i.handle(newRecorder())
	_ = i.queue.Delete(object("b", "2"))
	_ = i.queue.Add(object("b", "3"))
	_ = i.queue.Update(object("b", "4"))
	_ = i.queue.Delete(object("b", "5"))
	defer i.run(untilDone)()
	i.received(r, "Deleted b@2, Added b@3, Updated b@4, Deleted b@5 in one call of process",
		"add b@1 (initial), delete b@2, add b@3, update b@3 to b@4, delete b@5")
}

func checkDelete(t *judge.T, parts stack.Parts) {
	source := func(q stack.Queue) stack.Queue { return &withUnknownDelete{Queue: q} }
	i := newInformer(t, parts, source, nil)
	i.indexer.Apply([]stack.Object{object("a", "1"), object("b", "1")}, nil)
	r := i.handle(newRecorder())
	_ = i.queue.Delete(object("a", "7"))
	defer i.run(untilDone)()
	i.received(r, "Delete a@7, with a@1 and b@1 present, and a Deleted of an object that is not in the indexer",
		"add a@1 (initial), add b@1 (initial), delete a@7")
	i.replace()
	i.received(r, "Delete a@7 and an empty Replace",
		"add a@1 (initial), add b@1 (initial), delete a@7, delete b@1 (final state unknown)")
}

// withUnknownDelete is a queue that delivers first a Deleted of an unknown object, as
// client-go's RealFIFO does.
type withUnknownDelete struct {
	stack.Queue
	delivered bool
}

func (q *withUnknownDelete) Pop(ctx context.Context, process func(string, []stack.Delta, bool) error) error {
	if !q.delivered {
		q.delivered = true
		gone := stack.Delta{Type: deltafifo.Deleted, Object: object("gone", "1"), Key: "shop/gone"}
		return process(gone.Key, []stack.Delta{gone}, false)
	}
	return q.Queue.Pop(ctx, process)
}

func checkInitial(t *judge.T, parts stack.Parts) {
	i := newInformer(t, parts, nil, nil)
	i.indexer.Apply([]stack.Object{object("a", "1")}, nil)
	early := i.handle(newRecorder())
	defer i.run(untilDone)()
	i.replace(object("a", "2"), object("b", "2"))
	settle()
	_ = i.queue.Add(object("c", "3"))
	after := "a@1 in the indexer, AddEventHandler, Run, a Replace with a@2 and b@2, and Add c@3"
	settle()
	got := early.received()
	if want := "add a@1 (initial), update a@1 to a@2, add b@2 (initial), add c@3"; got != want &&
		got != "add a@1 (initial), add b@2 (initial), update a@1 to a@2, add c@3" {
		t.Fatalf("after %s, a handler has received\n%s\nwant %s", after, got, want)
	}

	late := i.handle(newRecorder())
	_ = i.queue.Add(object("d", "4"))
	i.received(late, "AddEventHandler with a@2, b@2 and c@3 present, and Add d@4",
		"add a@2 (initial), add b@2 (initial), add c@3 (initial), add d@4")
}

// observed is a queue that calls after when process has returned.
type observed struct {
	stack.Queue
	after func(key string, deltas []stack.Delta)
}

func (q *observed) Pop(ctx context.Context, process func(string, []stack.Delta, bool) error) error {
	return q.Queue.Pop(ctx, func(key string, deltas []stack.Delta, initial bool) error {
		err := process(key, deltas, initial)
		q.after(key, deltas)
		return err
	})
}

func checkProcess(t *judge.T, parts stack.Parts) {
	var i *informer
	i = newInformer(t, parts, func(q stack.Queue) stack.Queue {
		return &observed{q, func(key string, deltas []stack.Delta) {
			want := deltas[len(deltas)-1].Object
			if got, _ := i.indexer.Get(key); got != want {
				t.Errorf("process has returned for %s, and the indexer has %s: Pop counts the change as processed", text(want), text(got))
			}
		}}
	}, nil)
	defer i.run(untilDone)()
	for _, version := range []string{"1", "2"} {
		_ = i.queue.Add(object("a", version))
		_ = i.queue.Add(object("b", version))
		settle()
	}
	if got := len(i.indexer.List()); got != 2 && !t.Failed() {
		t.Fatalf("after Add of shop/a and shop/b, the indexer has %d objects; want 2", got)
	}
}

func checkSynced(t *judge.T, parts stack.Parts) {
	var i *informer
	var before atomic.Bool
	i = newInformer(t, parts, func(q stack.Queue) stack.Queue {
		return &observed{q, func(string, []stack.Delta) {
			if i.HasSynced() {
				before.Store(true)
			}
		}}
	}, nil)
	defer i.run(untilDone)()
	if i.HasSynced() {
		t.Fatalf("HasSynced is true before the first Replace")
	}
	i.replace(object("a", "1"))
	settle()
	if before.Load() {
		t.Fatalf("HasSynced is true before Pop has returned for the only object of the first Replace")
	}
	if !i.HasSynced() {
		t.Fatalf("HasSynced is false after the only object of the first Replace has been processed")
	}
}

// failing is a queue whose first two calls of Pop return an error.
type failing struct {
	stack.Queue
	calls int
}

func (q *failing) Pop(ctx context.Context, process func(string, []stack.Delta, bool) error) error {
	if q.calls++; q.calls <= 2 {
		return errors.New("one change cannot be processed")
	}
	return q.Queue.Pop(ctx, process)
}

func checkPopError(t *judge.T, parts stack.Parts) {
	i := newInformer(t, parts, func(q stack.Queue) stack.Queue { return &failing{Queue: q} }, nil)
	r := i.handle(newRecorder())
	cancel := i.run(untilDone)
	defer cancel()
	i.replace()
	settle()
	_ = i.queue.Add(object("a", "1"))
	settle()
	if i.ended.Load() {
		t.Fatalf("Pop returns an error, which is not that of the context, and Run returns %v; want the next Pop", i.err)
	}
	if r.received() == "nothing" {
		t.Fatalf("two Pops return an error, which is not that of the context, and Add a@1 is not processed: the loop must go on after an error")
	}
	i.received(r, "an error of two Pops and Add a@1", "add a@1")
}
