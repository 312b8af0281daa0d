package deltafifo

import (
	"errors"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkAnotherUID(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, objectWithUID("a", "1", "first"))
	q.update(objectWithUID("a", "2", "first"))
	q.add(objectWithUID("a", "5", "second"))
	q.delivers("Update a@2 and Add a@5 with another UID",
		"shop/a: Updated a@2, Deleted a@2 (final state unknown), Added a@5")
	q.update(objectWithUID("a", "7", "third"))
	q.delivers("Update a@7 with another UID than that of the known a@5",
		"shop/a: Deleted a@5 (final state unknown), Updated a@7")
	q.replace(objectWithUID("a", "9", "fourth"))
	q.delivers("a Replace with a@9, with another UID than that of the known a@7",
		"shop/a: Deleted a@7 (final state unknown), Replaced a@9")
	q.delete(objectWithUID("a", "10", "fourth"))
	q.add(objectWithUID("a", "11", "fifth"))
	q.delivers("Delete a@10 and Add a@11 with another UID (no second Deleted)",
		"shop/a: Deleted a@10, Added a@11")

	q = newQueue(t, parts, object("b", "1"))
	q.update(objectWithUID("b", "2", "first"))
	q.update(object("b", "3"))
	q.delivers("Update b@2 with a UID, and Update b@3 without one; b@1, without one, known",
		"shop/b: Updated b@2, Updated b@3")
}

func checkUnknown(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("a", "1"))
	q.delete(object("never-seen", "2"))
	q.isEmpty("Delete of an object that was never added")
	q.delete(object("a", "3"))
	q.delete(object("a", "4"))
	q.delivers("Delete a@3 and Delete a@4, with a@1 known", "shop/a: Deleted a@3")
	q.delete(object("a", "5"))
	q.isEmpty("Delete of an object whose Deleted has been processed")
	q.add(object("a", "6"))
	q.delete(object("a", "7"))
	q.delete(object("a", "8"))
	q.delivers("Add a@6, Delete a@7 and Delete a@8", "shop/a: Added a@6, Deleted a@7")

	q = newQueue(t, parts, object("b", "1"))
	q.replace()
	q.delete(object("b", "2"))
	q.delivers("an empty Replace and Delete b@2, with b@1 known", "shop/b: Deleted b@1 (final state unknown)")
}

// checkBusyIsKnown writes while process runs: the known objects do not have its changes
// yet.
func checkBusyIsKnown(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts)
	q.during("Add a@1", func() { q.add(object("a", "1")) }, func() error { return q.Delete(object("a", "2")) })
	q.delivers("Delete a@2 while Added a@1 was processed", "shop/a: Deleted a@2")

	q = newQueue(t, parts, object("b", "1"))
	q.during("Delete b@2", func() { q.delete(object("b", "2")) }, func() error { return q.Delete(object("b", "2")) })
	q.isEmpty("a second Delete b@2 while Deleted b@2 was processed")

	q = newQueue(t, parts)
	q.during("Add c@1", func() { q.add(object("c", "1")) }, func() error { return q.Replace(items(nil), versionOfList) })
	q.delivers("an empty Replace while Added c@1 was processed", "shop/c: Deleted c@1 (final state unknown)")

	q = newQueue(t, parts)
	q.during("Add d@1", func() { q.add(objectWithUID("d", "1", "first")) },
		func() error { return q.Add(objectWithUID("d", "3", "second")) })
	q.delivers("Add d@3 with another UID while Added d@1 was processed",
		"shop/d: Deleted d@1 (final state unknown), Added d@3")

	q = newQueue(t, parts)
	q.during("Add e@1 and Delete e@2", func() { q.add(object("e", "1")); q.delete(object("e", "2")) },
		func() error { return q.Delete(object("e", "3")) })
	q.isEmpty("Delete e@3 while Added e@1 and Deleted e@2 were processed")

	q = newQueue(t, parts)
	q.during("Add f@1", func() { q.add(object("f", "1")) },
		func() error { return errors.Join(q.Delete(object("f", "2")), q.Delete(object("f", "3"))) })
	q.delivers("Delete f@2 and Delete f@3 while Added f@1 was processed", "shop/f: Deleted f@2")
}

// during pops what before has written, and calls write while it is processed.
func (q *queue) during(name string, before func(), write func() error) {
	before()
	p := q.pop(func() error {
		if !q.t.Returns("a write while process runs", func() {
			if err := write(); err != nil {
				q.t.Errorf("a write while process runs returns the error %v", err)
			}
		}) {
			q.t.Errorf("a write while the change of %s is processed does not return: Pop holds its lock", name)
		}
		return nil
	})
	if q.t.Failed() {
		q.t.FailNow()
	}
	if p.err != nil {
		q.t.Fatalf("Pop returns the error %v, but process returned nil", p.err)
	}
}
