package informer

import (
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
		want := map[string]string{"add a@1": "a@1", "update a@1 to a@2": "a@2", "delete a@3": stored(nil)}[call]
		if got := stored(object); want != "" && got != want {
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
		t.Fatalf("after Add a@1, the indexer has %s", stored(got))
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

	b1, b2, b3 := object("b", "1"), object("b", "2"), object("b", "3")
	i = newInformer(t, parts, delivering(
		delivery{"shop/b", []stack.Delta{{Type: deltafifo.Deleted, Object: b2}, {Type: deltafifo.Added, Object: b3}}, false},
		delivery{"shop/b", []stack.Delta{{Type: deltafifo.Sync, Object: b3}}, false},
	), nil)
	i.indexer.Apply([]stack.Object{b1}, nil)
	r = i.handle(newRecorder())
	defer i.run(untilDone)()
	i.received(r, "Deleted b@2 and Added b@3 in one call of process, and Sync b@3 in the next one",
		"add b@1 (initial), delete b@2, add b@3, update b@3 to b@3")
}

func checkDelete(t *judge.T, parts stack.Parts) {
	// client-go's RealFIFO delivers a Deleted of an object that is not in the indexer.
	i := newInformer(t, parts, delivering(delivery{"shop/gone", []stack.Delta{{Type: deltafifo.Deleted, Object: object("gone", "1")}}, false}), nil)
	i.indexer.Apply([]stack.Object{object("a", "1"), object("b", "1")}, nil)
	r := i.handle(newRecorder())
	_ = i.queue.Delete(object("a", "7"))
	defer i.run(untilDone)()
	i.received(r, "Delete a@7, with a@1 and b@1 present, and a Deleted of an object that is not in the indexer",
		"add a@1 (initial), add b@1 (initial), delete a@7")
	i.replace()
	i.received(r, "Delete a@7 and an empty Replace",
		"add a@1 (initial), add b@1 (initial), delete a@7, delete b@1 (final state unknown)")

	i = newInformer(t, parts, delivering(delivery{"shop/a", []stack.Delta{{Type: deltafifo.Deleted, Object: object("a", "2"), FinalStateUnknown: true}}, false}), nil)
	i.indexer.Apply([]stack.Object{object("a", "1")}, nil)
	r = i.handle(newRecorder())
	defer i.run(untilDone)()
	i.received(r, "a Deleted with a@2 and FinalStateUnknown, with a@1 present", "add a@1 (initial), delete a@2 (final state unknown)")
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

	i = newInformer(t, parts, delivering(
		delivery{"shop/e", []stack.Delta{{Type: deltafifo.Added, Object: object("e", "1")}}, true},
		delivery{"shop/f", []stack.Delta{{Type: deltafifo.Replaced, Object: object("f", "1")}}, false},
	), nil)
	r := i.handle(newRecorder())
	defer i.run(untilDone)()
	i.received(r, "Pop has passed Added e@1 with initial, and Replaced f@1 without it", "add e@1 (initial), add f@1")
}

func checkProcess(t *judge.T, parts stack.Parts) {
	var i *informer
	i = newInformer(t, parts, func(q stack.Queue) stack.Queue {
		return &observed{q, func(key string, deltas []stack.Delta) {
			want := deltas[len(deltas)-1].Object
			switch got, _ := i.indexer.Get(key); {
			case got == want:
			case got != nil && text(got) == text(want):
				t.Errorf("process has returned for %s, and the indexer has a copy of it: want the object of the change", text(want))
			default:
				t.Errorf("process has returned for %s, and the indexer has %s: Pop counts the change as processed", text(want), stored(got))
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
	checkQueueSynced(t, parts)
}

// synced is a queue whose HasSynced is set.
type synced struct {
	stack.Queue
	is atomic.Bool
}

func (q *synced) HasSynced() bool { return q.is.Load() }

// checkQueueSynced fails unless HasSynced is that of the queue, whatever else is true:
// the indexer is empty or not, a handler waits or not, Run runs or not.
func checkQueueSynced(t *judge.T, parts stack.Parts) {
	queue := new(synced)
	i := newInformer(t, parts, func(q stack.Queue) stack.Queue { queue.Queue = q; return queue }, nil)
	check := func(when string) {
		for _, want := range []bool{true, false} {
			queue.is.Store(want)
			if got := i.HasSynced(); got != want {
				t.Fatalf("%s, HasSynced is %v, and that of the queue is %v", when, got, want)
			}
		}
	}
	release := make(chan struct{})
	r := newRecorder()
	r.during = func(string) { <-release }
	i.handle(r)
	check("before Run")
	cancel := i.run(untilDone)
	check("while Run runs and the indexer is empty")
	_ = i.queue.Add(object("a", "1"))
	_ = i.queue.Add(object("b", "1"))
	settle()
	check("while a handler has not received all objects")
	close(release)
	i.stop(cancel)
	check("after Run has returned")
}
