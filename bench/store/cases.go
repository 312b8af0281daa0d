// Package store has the cases of the indexer. The other side is client-go's
// cache.NewIndexer, with the same objects and index functions.
package store

import (
	"fmt"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/harness"
)

// batch is the number of changes in a batch: the maximum of client-go's informer.
const batch = 1000

// Cases returns the cases of this package. Added and updated objects are created just
// before, a thousand at a time and untimed. The three indexes are by namespace (200
// objects for each value), by node (2,000) and by app label (100).
func Cases() []harness.Case {
	const all = corpus.Count
	return []harness.Case{
		both("store/add-0idx", "ns/op", all, add(false), "Add of 100,000 objects, one by one, to an empty store without indexes"),
		both("store/add-3idx", "ns/op", all, add(true), "Add of 100,000 objects, one by one, to an empty store with three indexes"),
		both("store/add-3idx-batch", "ns/op", all, addBatch, "the same 1,000 at a time: Apply against Transaction, which is built within the time; per object"),
		both("store/update-0idx", "ns/op", all, update(false), "Update of each of 100,000 objects, one by one, in random order, no indexes; the new object has a higher version"),
		both("store/update-3idx", "ns/op", all, update(true), "the same with three indexes, whose values do not change"),
		both("store/update-3idx-batch", "ns/op", all, updateBatch, "the same 1,000 at a time: Apply against Transaction, which is built within the time; per object"),
		both("store/delete-3idx", "ns/op", all, remove, "Delete of each of 100,000 objects, one by one, in random order, three indexes"),
		both("store/get", "ns/op", 0, get, "Get by key in random order from 100,000 objects; GetByKey on the other side"),
		both("store/iterate", "us/op", 0, iterate, "visit all of 100,000 objects; the other side visits its List"),
		both("store/byindex-200", "us/op", 0, visit(corpus.NamespaceNames, store.VisitNamespace), "visit the 200 objects of a namespace, in random order of namespaces; the other side visits its ByIndex"),
		both("store/byindex-2000", "us/op", 0, visit(corpus.NodeNames, store.VisitNode), "the same for the 2,000 objects of a node"),
		both("store/replace-3idx", "ms/op", 1, replace, "Replace all of 100,000 objects by newer versions of them, three indexes; the other side's []any is built within the time"),
		both("store/replace-reader-max", "us", 1, readerDuringReplace, "the longest Get of a goroutine that reads in a loop during such a Replace"),
		both("store/write-alone", "ns", 1, write(nil), "Update one by one, three indexes, each timed separately, without readers: mean, p50, p99, max"),
		both("store/write-under-list", "ns", 1, write(store.VisitAll), "the same while another goroutine visits all objects in a loop"),
		both("store/write-under-byindex", "ns", 1, write(visitSomeNode), "the same while another goroutine visits the 2,000 objects of one node in a loop"),
		both("store/bytes-per-object", "B/object", 1, bytesPerObject, "live heap that a store of 100,000 objects with three indexes adds to the objects themselves, filled by one Replace"),
	}
}

func both(name, unit string, n int, body func(opener) harness.Side, about string) harness.Case {
	return harness.Case{
		Name: name, About: about, Unit: unit, N: n,
		Ours:   func() harness.Side { return body(openOurs) },
		Theirs: func() harness.Side { return body(openTheirs) },
	}
}

// full returns a store with all objects.
func full(open opener, indexed bool) store {
	s := open(indexed)
	s.Replace(corpus.AllNewer())
	return s
}

func want(found, expected int) {
	if found != expected {
		panic(fmt.Sprintf("a read found %d objects, want %d", found, expected))
	}
}
