package deltafifo

import (
	"context"
	"errors"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkWake(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		name, want string
		write      func(q *queue)
	}{
		{"Add", "shop/a: Added a@2", func(q *queue) { q.add(object("a", "2")) }},
		{"Update", "shop/a: Updated a@2", func(q *queue) { q.update(object("a", "2")) }},
		{"Delete", "shop/z: Deleted z@2", func(q *queue) { q.delete(object("z", "2")) }},
		{"Replace", "shop/z: Replaced z@2", func(q *queue) { q.replace(object("z", "2")) }},
		{"an empty Replace", "shop/z: Deleted z@1 (final state unknown)", func(q *queue) { q.replace() }},
	} {
		q := newQueue(t, parts, object("z", "1"))
		p := q.start(closed())
		if p.called || p.ended {
			t.Fatalf("Pop of an empty queue does not wait: process called: %v, error: %v", p.called, p.err)
		}
		test.write(q)
		q.woken(p, test.name, test.want)
	}

	q := newQueue(t, parts)
	release := make(chan struct{})
	first, second := q.start(release), q.start(release)
	q.replace(object("a", "1"), object("b", "1"))
	pass(time.Minute)
	both := first.called && second.called
	close(release)
	pass(time.Second)
	if !both {
		t.Fatalf("two callers of Pop wait, and after a Replace with two objects one of them still waits")
	}

	release = make(chan struct{})
	q.add(object("c", "1"))
	q.start(release)
	q.add(object("c", "2"))
	p := q.start(closed())
	close(release)
	q.woken(p, "the end of the processing of its key", "shop/c: Added c@2")
}

func (q *queue) woken(p *popping, by, want string) {
	pass(time.Minute)
	if !p.ended {
		q.t.Fatalf("a waiting Pop still waits after %s", by)
	}
	if p.String() != want {
		q.t.Fatalf("a waiting Pop delivers, after %s,\n%v\nwant %s", by, p, want)
	}
}

func checkEnd(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts)
	ctx, cancel := context.WithCancel(t.Context())
	p := new(popping)
	t.Go("Pop", func() { q.run(ctx, p, nil) })
	pass(time.Second)
	cancel()
	pass(time.Minute)
	if !p.ended {
		t.Fatalf("a waiting Pop still waits after its context has ended")
	}
	if !errors.Is(p.err, context.Canceled) {
		t.Fatalf("Pop returns %v after its context has ended; want the error of the context", p.err)
	}

	first, second := q.start(nil), q.start(nil)
	t.Unblocked("Close", q.Close)
	pass(time.Minute)
	if !first.ended || !second.ended {
		t.Fatalf("two callers of Pop wait, and after Close one of them still waits")
	}
	late := new(popping)
	t.Unblocked("Pop after Close", func() { q.run(t.Context(), late, nil) })
	for _, p := range []*popping{first, second, late} {
		if !errors.Is(p.err, stack.ErrClosed) {
			t.Fatalf("after Close, Pop returns %v; want stack.ErrClosed", p.err)
		}
	}
}

func checkError(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts)
	q.add(object("a", "1"))
	failure := errors.New("the consumer fails")
	p := q.pop(func() error { return failure })
	if !errors.Is(p.err, failure) {
		t.Fatalf("process returns an error, and Pop returns %v; want that error, which errors.Is finds", p.err)
	}
	q.isEmpty("a process that returns an error for a@1")
	q.update(object("a", "2"))
	p = q.start(closed())
	if !p.called {
		t.Fatalf("after an error of process for a@1, Pop does not deliver Updated a@2: the key still counts as being processed")
	}
	if want := "shop/a: Updated a@2"; p.String() != want {
		t.Fatalf("after an error of process for a@1 and Update a@2, Pop delivers\n%v\nwant %s", p, want)
	}
}
