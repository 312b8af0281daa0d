package deltafifo

import (
	"errors"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkReplace(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("a", "1"), object("b", "1"), object("c", "1"), object("e", "1"))
	q.update(object("b", "2"))
	q.add(object("d", "2"))
	q.delete(object("c", "2"))
	q.replace(object("e", "5"), object("f", "5"))
	q.deliversByKey("Update b@2, Add d@2, Delete c@2 and a Replace with e@5 and f@5; a@1, b@1, c@1, e@1 known",
		"shop/a: Deleted a@1 (final state unknown)",
		"shop/b: Updated b@2, Deleted b@2 (final state unknown)",
		"shop/c: Deleted c@2",
		"shop/d: Added d@2, Deleted d@2 (final state unknown)",
		"shop/e: Replaced e@5",
		"shop/f: Replaced f@5",
	)
	q.replace()
	q.deliversByKey("an empty Replace, with e@5 and f@5 known",
		"shop/e: Deleted e@5 (final state unknown)",
		"shop/f: Deleted f@5 (final state unknown)",
	)
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
	initial := map[string]bool{}
	for range 4 {
		p := q.pop(nil)
		initial[p.key] = p.initial
	}
	for _, key := range []string{"shop/a", "shop/b", "shop/gone"} {
		if !initial[key] {
			t.Fatalf("initial is false for %s, which has a change of the first Replace", key)
		}
	}
	if initial["shop/c"] {
		t.Fatalf("initial is true for shop/c, which was added after the first Replace")
	}
	q.update(object("b", "5"))
	if p := q.pop(nil); p.initial {
		t.Fatalf("initial is true for Updated b@5, although the first Replace with b@2 has been processed")
	}
	q.replace(object("a", "6"))
	for range 3 {
		if p := q.pop(nil); p.initial {
			t.Fatalf("initial is true for a change of the second Replace:\n%v", p)
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

	q = newQueue(t, parts)
	q.replace()
	q.synced(true, "after an empty Replace: there is nothing to process")
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
