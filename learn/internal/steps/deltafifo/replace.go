package deltafifo

import (
	"errors"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkReplace(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("a", "1"), object("b", "1"), object("c", "1"), object("e", "1"))
	q.update(object("b", "2"))
	q.add(object("d", "2"))
	q.delete(object("c", "2"))
	q.update(object("e", "2"))
	q.replace(object("e", "5"), object("f", "5"))
	q.deliversByKey("Update b@2, Add d@2, Delete c@2, Update e@2 and a Replace with e@5 and f@5; a@1, b@1, c@1, e@1 known",
		"shop/a: Deleted a@1 (final state unknown)",
		"shop/b: Updated b@2, Deleted b@2 (final state unknown)",
		"shop/c: Deleted c@2",
		"shop/d: Added d@2, Deleted d@2 (final state unknown)",
		"shop/e: Updated e@2, Replaced e@5",
		"shop/f: Replaced f@5",
	)
	q.replace(object("f", "5"))
	q.deliversByKey("a Replace with f@5, with e@5 and f@5 known",
		"shop/e: Deleted e@5 (final state unknown)",
		"shop/f: Replaced f@5",
	)
	q.replace()
	q.replace()
	q.deliversByKey("two empty Replaces, with f@5 known", "shop/f: Deleted f@5 (final state unknown)")
}

func checkFailedReplace(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("a", "1"), object("b", "1"))
	failure := errors.New("the second page is missing")
	var err error
	t.Unblocked("Replace", func() {
		err = q.Replace(items(failure, object("a", "2"), object("c", "2")), versionOfList)
	})
	if !errors.Is(err, failure) {
		t.Fatalf("the items of a Replace end with an error, and Replace returns %v; want that error", err)
	}
	q.isEmpty("a Replace whose items a@2 and c@2 end with an error")
	if q.HasSynced() {
		t.Fatalf("HasSynced is true after a Replace whose items end with an error")
	}
	q.replace(object("a", "3"))
	after := "a Replace with an error, and a Replace with a@3"
	q.deliversByKey(after, "shop/a: Replaced a@3", "shop/b: Deleted b@1 (final state unknown)")
}

func checkInitial(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("gone", "1"))
	q.add(object("a", "1"))
	q.replace(object("a", "2"), object("b", "2"))
	q.update(object("b", "3"))
	q.add(object("c", "4"))
	release := make(chan struct{})
	first := q.start(release)
	if !t.Returns("Update", func() { _ = q.Update(object("a", "5")) }) {
		close(release)
		t.Fatalf("Update a@5, while a@2 is processed, does not return: Pop holds its lock while it calls process")
	}
	initial := map[string]bool{}
	for range 3 { // one of them is shop/c, while the first key of the Replace is not processed yet
		p := q.pop(nil)
		initial[p.key] = p.initial
	}
	initial[first.key] = first.initial
	close(release)
	pass(time.Second)
	for _, key := range []string{"shop/a", "shop/b", "shop/gone"} {
		if !initial[key] {
			t.Fatalf("initial is false for %s, which has a change of the first Replace", key)
		}
	}
	if initial["shop/c"] {
		t.Fatalf("initial is true for shop/c, which was added after the first Replace")
	}
	if p := q.pop(nil); p.initial {
		t.Fatalf("initial is true for Updated a@5, which was written while a@2 of the first Replace was processed")
	}
	q.replace(object("a", "6"))
	for range 3 {
		if p := q.pop(nil); p.initial {
			t.Fatalf("initial is true for a change of the second Replace:\n%v", p)
		}
	}

	q = newQueue(t, parts)
	q.replace(object("a", "1"))
	q.replace(object("a", "2"), object("b", "2"))
	for range 2 {
		if p := q.pop(nil); p.initial != (p.key == "shop/a") {
			t.Fatalf("after a Replace with a@1 and one with a@2 and b@2, Pop delivers initial %v with\n%v", p.initial, p)
		}
	}
}

func checkSynced(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("gone", "1"))
	q.synced(false, "for a new queue")
	q.add(object("a", "1"))
	q.synced(false, "after Add")
	q.pop(nil)
	q.synced(false, "after Add and Pop: there has been no Replace")
	q.replace(object("a", "2"), object("b", "2"))
	q.add(object("later", "3"))
	q.synced(false, "after Replace: nothing of it has been processed")
	processed := map[string]bool{}
	for len(processed) < 3 {
		q.synced(false, "before the last change of the first Replace is processed")
		p := q.pop(func() error {
			if q.synced(false, "while a change of the first Replace is processed"); len(processed) == 2 {
				return errors.New("the last one fails")
			}
			return nil
		})
		if p.key != "shop/later" {
			processed[p.key] = true
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	q.synced(true, "after all changes of the first Replace have been processed, the last one with an error")
	q.replace(object("z", "9"))
	q.synced(true, "after a second Replace")
	q.pop(func() error { q.synced(true, "while a later change is processed"); return nil })

	q = newQueue(t, parts)
	q.replace()
	q.synced(true, "after an empty Replace: there is nothing to process")
	checkSyncedWhileBusy(t, parts)
}

// checkSyncedWhileBusy calls the first Replace while an older change is processed.
func checkSyncedWhileBusy(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts)
	q.during("Add a@1", func() { q.add(object("a", "1")) },
		func() error { return q.Replace(items(nil, object("a", "2")), versionOfList) })
	q.synced(false, "after a first Replace with a@2 while a@1 was processed: a@2 still waits")
	if p := q.pop(nil); !p.initial {
		t.Fatalf("initial is false for Replaced a@2 of the first Replace, which came while a@1 was processed")
	}
	q.synced(true, "after a first Replace with a@2 while a@1 was processed, and a Pop of a@2")

	q = newQueue(t, parts, object("b", "1"))
	q.during("Delete b@2", func() { q.delete(object("b", "2")) },
		func() error { return q.Replace(items(nil), versionOfList) })
	q.synced(true, "after an empty first Replace while Deleted b@2 was processed: no change waits")
}

// synced fails unless HasSynced returns the value. It may be called by process.
func (q *queue) synced(want bool, when string) {
	synced := !want
	if !q.t.Returns("HasSynced", func() { synced = q.HasSynced() }) {
		q.t.Errorf("HasSynced does not return %s", when)
	} else if synced != want {
		q.t.Errorf("HasSynced is %v %s", synced, when)
	}
}
