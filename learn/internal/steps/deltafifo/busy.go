package deltafifo

import (
	"errors"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkWrites(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		name  string
		write func(q *queue) error
	}{
		{"Add", func(q *queue) error { return q.Add(object("a", "2")) }},
		{"Update of another object", func(q *queue) error { return q.Update(object("b", "2")) }},
		{"Delete", func(q *queue) error { return q.Delete(object("a", "2")) }},
		{"Replace", func(q *queue) error { return q.Replace(items(nil, object("c", "2")), versionOfList) }},
		{"HasSynced", func(q *queue) error { q.HasSynced(); return nil }},
		{"Resync", func(q *queue) error { return q.Resync() }},
		{"Bookmark", func(q *queue) error { q.Bookmark("2"); return nil }},
		{"Close", func(q *queue) error { q.Close(); return nil }},
	} {
		q := newQueue(t, parts)
		q.add(object("a", "1"))
		q.pop(func() error {
			if !t.Returns(test.name, func() { _ = test.write(q) }) {
				t.Errorf("%s, while process runs, does not return: Pop must not hold its lock while it calls process", test.name)
			}
			return nil
		})
		if t.Failed() {
			t.FailNow()
		}
	}
}

func checkBusy(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts)
	q.add(object("a", "1"))
	release := make(chan struct{})
	first := q.start(release)
	if !first.called {
		close(release)
		t.Fatalf("after Add a@1, Pop delivers nothing")
	}
	if !t.Returns("Update", func() { _ = q.Update(object("a", "2")) }) {
		close(release)
		t.Fatalf("Update a@2, while a@1 is processed, does not return: Pop holds its lock while it calls process")
	}
	q.add(object("b", "3"))
	q.add(object("c", "4"))
	second := q.start(closed())
	switch {
	case !second.called:
		close(release)
		t.Fatalf("while shop/a is processed, Pop does not deliver shop/b: it waits for the key at the head of the queue")
	case second.key == "shop/a":
		close(release)
		t.Fatalf("while %v is processed, another Pop delivers\n%v\nwant shop/b: two workers must not have one key", first, second)
	case second.String() != "shop/b: Added b@3":
		close(release)
		t.Fatalf("while shop/a is processed, Pop delivers\n%v\nwant shop/b: Added b@3", second)
	}
	close(release)
	pass(time.Second)
	after := "Update a@2 while a@1 was processed, then Add b@3 and Add c@4, and the end of that processing"
	q.delivers(after, "shop/a: Updated a@2")
	q.delivers(after, "shop/c: Added c@4")
	q.isEmpty(after)

	q.during("Add d@5", func() { q.add(object("d", "5")) },
		func() error { return errors.Join(q.Add(object("e", "6")), q.Update(object("d", "7"))) })
	after = "Add e@6 and then Update d@7, while d@5 was processed"
	q.delivers(after, "shop/e: Added e@6")
	q.delivers(after, "shop/d: Updated d@7")
}

// closed returns a channel that does not let process wait.
func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
