package indexer

import (
	"slices"
	"sync/atomic"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkApply(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts)
	c.lists("NewIndexer", "nothing")
	c.gets("NewIndexer", "shop/a", "")

	after := "an Apply of shop/a, shop/b and ops/a"
	c.apply([]stack.Object{object("shop/a", "1", ""), object("shop/b", "1", ""), object("ops/a", "1", "")})
	c.lists(after, "ops/a@1 shop/a@1 shop/b@1")
	c.gets(after, "ops/a", "1")
	c.gets(after, "ops/b", "")

	after += ", and an Apply that sets shop/a@2 and shop/c@2 and removes shop/b and shop/unknown"
	c.apply([]stack.Object{object("shop/a", "2", ""), object("shop/c", "2", "")}, "shop/b", "shop/unknown")
	c.lists(after, "ops/a@1 shop/a@2 shop/c@2")
	c.gets(after, "shop/a", "2")
	c.gets(after, "shop/b", "")
	c.apply([]stack.Object{object("shop/a", "1", "")})
	c.gets("an Apply of shop/a@2 and one of shop/a@1", "shop/a", "1")
	c.apply(nil, "ops/a", "shop/a", "shop/c")
	c.lists(after+", and the removal of all objects", "nothing")
}

func checkByIndex(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts)
	var calls atomic.Int32
	c.addIndex(byNode, func(object stack.Object) []string {
		calls.Add(1)
		return nodesOf(object)
	})
	c.addIndex("byName", func(object stack.Object) []string { return []string{object.Name} })
	var set []stack.Object
	for _, name := range "qlzmbkwdxafjtcneguphisvoyr" {
		set = append(set, object("shop/"+string(name), "1", "n"))
	}
	set = append(set, object("ops/n", "1", "node-2"),
		object("shop/1", "1", "node-4"), object("shop-1/2", "1", "node-4"), object("ops/3", "1", "node-4"))
	c.apply(set[:13])
	c.apply(set[13:])
	calls.Store(0)
	after := "two Applies with 26 objects on node n, ops/n on node-2, and three others on node-4"
	var want []stack.Object
	for name := 'a'; name <= 'z'; name++ {
		want = append(want, object("shop/"+string(name), "1", "n"))
	}
	c.has(after, byNode, "n", text(want))
	c.has(after, byNode, "node-2", "ops/n@1")
	c.has(after, "byName", "n", "ops/n@1 shop/n@1")
	c.has(after, byNode, "node-3", "nothing")
	c.has(after, byNode, "node-4", "ops/3@1 shop-1/2@1 shop/1@1")
	if n := calls.Load(); n > 0 {
		t.Fatalf("4 calls of ByIndex call the function of the index %d times: without an index, each call looks at every object", n)
	}
}

func checkChange(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts)
	c.addIndex(byNode, nodesOf)
	c.apply([]stack.Object{object("shop/a", "1", "node-1"), object("shop/b", "1", "node-1"), object("shop/c", "1", "node-1")})
	c.apply([]stack.Object{object("shop/a", "2", "node-2"), object("shop/b", "2", "node-1")}, "shop/c")
	after := "a, b and c on node-1, and an Apply that moves shop/a to node-2, changes shop/b and removes shop/c"
	c.has(after, byNode, "node-1", "shop/b@2")
	c.has(after, byNode, "node-2", "shop/a@2")
	c.apply([]stack.Object{object("shop/a", "3", "")})
	c.has("shop/a@3 without a node", byNode, "node-2", "nothing")
	c.apply([]stack.Object{object("shop/c", "4", "node-2")})
	c.has("shop/c again, on node-2", byNode, "node-2", "shop/c@4")
	c.has("shop/c again, on node-2", byNode, "node-1", "shop/b@2")
	c.apply([]stack.Object{object("shop/b", "2", "node-3")})
	c.has("another shop/b@2, on node-3", byNode, "node-1", "nothing")
	c.has("another shop/b@2, on node-3", byNode, "node-3", "shop/b@2")
}

func checkValues(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts)
	c.addIndex(byNode, nodesOf)
	c.apply([]stack.Object{object("shop/a", "1", "node-1,node-2"), object("shop/b", "1", "node-2,node-2"), object("shop/c", "1", "")})
	after := "shop/a with the values node-1 and node-2, shop/b with node-2 twice, and shop/c without a value"
	c.has(after, byNode, "node-1", "shop/a@1")
	c.has(after, byNode, "node-2", "shop/a@1 shop/b@1")
	c.has(after, byNode, "", "nothing")
	c.apply([]stack.Object{object("shop/a", "2", "node-2,node-3")})
	after += ", and shop/a@2 with node-2 and node-3"
	c.has(after, byNode, "node-1", "nothing")
	c.has(after, byNode, "node-2", "shop/a@2 shop/b@1")
	c.has(after, byNode, "node-3", "shop/a@2")
	c.addIndex("byText", func(object stack.Object) []string { return []string{object.Data["nodes"]} })
	c.has(`AddIndex of a function that returns "" for shop/c`, "byText", "", "shop/c@1")
}

func checkAddIndex(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts, object("shop/a", "1", "node-1"), object("shop/b", "1", "node-2"))
	c.addIndex(byNode, nodesOf)
	c.has("an Apply and then AddIndex", byNode, "node-1", "shop/a@1")
	c.apply([]stack.Object{object("shop/b", "2", "node-1")})
	c.has("an Apply, AddIndex, and shop/b@2 on node-1", byNode, "node-1", "shop/a@1 shop/b@2")
	c.has("an Apply, AddIndex, and shop/b@2 on node-1", byNode, "node-2", "nothing")
	c.addIndex("byNamespace", func(object stack.Object) []string { return []string{object.Namespace} })
	c.has("a second AddIndex", "byNamespace", "shop", "shop/a@1 shop/b@2")
}

func checkErrors(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts, object("shop/a", "1", "node-1"))
	c.addIndex(byNode, nodesOf)
	t.Unblocked("ByIndex", func() {
		if _, err := c.ByIndex("unknown", "node-1"); err == nil {
			t.Errorf("ByIndex of an index that was never added returns no error: a misspelled name looks like an empty result")
		}
	})
	t.Unblocked("AddIndex", func() {
		if err := c.AddIndex(byNode, func(stack.Object) []string { return []string{"other"} }); err == nil {
			t.Errorf("AddIndex with a name that exists already returns no error")
		}
	})
	after := "an AddIndex with the same name and another function, which failed"
	c.has(after, byNode, "node-1", "shop/a@1")
	c.apply([]stack.Object{object("shop/b", "1", "node-1")})
	c.has(after+", and an Apply of shop/b on node-1", byNode, "node-1", "shop/a@1 shop/b@1")
}

func checkSlices(t *judge.T, parts stack.Parts) {
	c := newCache(t, parts)
	c.addIndex(byNode, nodesOf)
	set := []stack.Object{object("shop/a", "1", "node-1"), object("shop/b", "1", "node-1"), object("shop/c", "1", "node-1")}
	remove := []string{"shop/d"}
	t.Unblocked("Apply", func() { c.Apply(set, remove) })
	clear(set)
	clear(remove)
	all := "shop/a@1 shop/b@1 shop/c@1"
	c.lists("the caller of Apply has overwritten its slices", all)
	var listed, found []stack.Object
	t.Unblocked("List and ByIndex", func() {
		listed = c.List()
		found, _ = c.ByIndex(byNode, "node-1")
	})
	for _, objects := range [][]stack.Object{listed, found} {
		slices.Reverse(objects)
		clear(objects[:1])
		_ = append(objects[:1], object("shop/other", "9", "node-1"))
	}
	c.lists("a caller of List has overwritten its slice", all)
	c.has("a caller of ByIndex has overwritten its slice", byNode, "node-1", all)
}
