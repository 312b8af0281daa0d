package deltafifo

import (
	"fmt"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkTogether(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts)
	q.add(object("a", "1"))
	q.update(object("a", "2"))
	q.add(object("b", "3"))
	q.update(object("a", "4"))
	after := "Add a@1, Update a@2, Add b@3, Update a@4"
	q.delivers(after, "shop/a: Added a@1, Updated a@2, Updated a@4")
	q.delivers(after, "shop/b: Added b@3")
	q.isEmpty(after + " and two Pops")
	q.update(object("b", "5"))
	q.delivers("Update b@5", "shop/b: Updated b@5")
}

// checkOrder uses more keys than a channel or an array of a usual size has.
func checkOrder(t *judge.T, parts stack.Parts) {
	const count = 2000
	var names []string
	for i := range count {
		// The order of the names is not that of the changes.
		names = append(names, fmt.Sprintf("n%04d", i*1237%count))
	}
	q := newQueue(t, parts)
	for _, name := range names {
		q.add(object(name, "1"))
	}
	for _, name := range slices.Backward(names[:10]) {
		q.update(object(name, "2"))
	}
	q.orderIs(fmt.Sprintf("Add of %d objects, and Update of the first 10 in reverse order", count), names)

	var objects []stack.Object
	for _, name := range names[:20] {
		objects = append(objects, object(name, "1"))
	}
	q = newQueue(t, parts)
	q.replace(objects...)
	q.orderIs("a Replace of 20 objects", names[:20])
}

// orderIs fails unless Pop delivers the keys with these names.
func (q *queue) orderIs(after string, names []string) {
	for i, name := range names {
		if got := q.pop(nil).key; got != "shop/"+name {
			q.t.Fatalf("after %s,\nPop number %d delivers %s; want shop/%s, the key with the oldest change", after, i+1, got, name)
		}
	}
	q.isEmpty(after + fmt.Sprintf(" and %d Pops", len(names)))
}

func checkDeleteAndCreate(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, object("a", "1"))
	q.delete(object("a", "2"))
	q.add(object("a", "3"))
	q.delivers("Delete a@2 and Add a@3, with a@1 known", "shop/a: Deleted a@2, Added a@3")

	q = newQueue(t, parts)
	q.add(object("b", "1"))
	q.delete(object("b", "2"))
	q.delivers("Add b@1 and Delete b@2", "shop/b: Added b@1, Deleted b@2")
	q.add(object("b", "3"))
	q.delete(object("b", "4"))
	q.add(object("b", "5"))
	q.delivers("Add b@3, Delete b@4 and Add b@5", "shop/b: Added b@3, Deleted b@4, Added b@5")

	q = newQueue(t, parts, object("c", "1"))
	q.delete(object("c", "2"))
	q.add(object("c", "3"))
	q.delete(object("c", "4"))
	q.add(object("c", "5"))
	q.delivers("Delete c@2, Add c@3, Delete c@4 and Add c@5, with c@1 known",
		"shop/c: Deleted c@2, Added c@3, Deleted c@4, Added c@5")
}
