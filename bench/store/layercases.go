package store

import (
	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

// LayerCases returns the cases of package cache: some of the cases above, with the code
// of theirs and other imports. The typed side is the indexer.
func LayerCases() []harness.Case {
	const (
		all    = corpus.Count
		sliced = "; the typed implementation collects into a slice of the right size, which is what the layer has to return"
	)
	return []harness.Case{
		layered("cache/get", "ns/op", 0, get, openOurs, "GetByKey in random order from 100,000 objects"),
		layered("cache/list", "us/op", 0, iterate, openCollecting, "List of 100,000 objects, and a visit to each"+sliced),
		layered("cache/byindex-200", "us/op", 0, visit(corpus.NamespaceNames, store.VisitNamespace), openCollecting, "ByIndex of the 200 objects of a namespace, and a visit to each"+sliced),
		layered("cache/byindex-2000", "us/op", 0, visit(corpus.NodeNames, store.VisitNode), openCollecting, "the same for the 2,000 objects of a node"+sliced),
		layered("cache/lister-200", "us/op", 0, visit(corpus.NamespaceNames, listNamespace), openOurs, "the 200 objects of a namespace, in a slice of their type, by ListAllByNamespace as generated listers ask for them, and by a Lister"),
		layered("cache/add-0idx", "ns/op", all, add(false), openOurs, "Add of 100,000 objects, one by one, to an empty store without indexes"),
		layered("cache/add-3idx", "ns/op", all, add(true), openOurs, "the same with three indexes"),
		layered("cache/update-3idx", "ns/op", all, update(true), openOurs, "Update of each of 100,000 objects, one by one, in random order, three indexes whose values do not change"),
		layered("cache/update-3idx-batch", "ns/op", all, updateBatch, openOurs, "the same 1,000 at a time: Transaction, which is built within the time; per object"),
		layered("cache/delete-3idx", "ns/op", all, remove, openOurs, "Delete of each of 100,000 objects, one by one, in random order, three indexes"),
		layered("cache/replace-3idx", "ms/op", 1, replace, openOurs, "Replace all of 100,000 objects by newer versions of them, three indexes; the []any is built within the time"),
		layered("cache/bytes-per-object", "B/object", 1, bytesPerObject, openOurs, "live heap that a store of 100,000 objects with three indexes adds to the objects themselves, filled by one Replace"),
	}
}

func layered(name, unit string, n int, body func(opener) harness.Side, typed opener, about string) harness.Case {
	c := both(name, unit, n, body, about)
	c.Ours = func() harness.Side { return body(openLayer) }
	c.Typed = func() harness.Side { return body(typed) }
	c.Rounds = 9 // one with -short, since three sides with 100,000 objects take long
	return c
}

func listNamespace(s store, name string) int {
	var v visitor
	for _, o := range s.ListNamespace(name) {
		v.visit(o)
	}
	return v.seen
}
