package store

import (
	"iter"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/bench/designs"
	"github.com/thinformer/thinformer/bench/harness"
)

// DesignNames are the columns of the contests between designs. The first is what
// the indexer is.
var DesignNames = []string{"slots", "trie", "published", "versions", "locked", "client-go"}

var designOpeners = []opener{
	openOurs,
	openDesign(designs.NewTrie),
	openDesign(designs.NewPublished),
	openDesign(designs.NewVersions),
	openDesign(designs.NewLocked),
	openTheirs,
}

// Designs are the contests between the ways to build the indexer: cases of this
// package, by the same names, with three indexes.
func Designs() []harness.Contest {
	const all = corpus.Count
	return []harness.Contest{
		contest("design/add-3idx", "ns/op", all, add(true), "Add of 100,000 objects, one by one, to an empty store"),
		contest("design/add-3idx-batch", "ns/op", all, addBatch, "the same 1,000 at a time; per object"),
		contest("design/update-3idx", "ns/op", all, update(true), "Update of each of 100,000 objects, one by one, in random order; the values of the indexes do not change"),
		contest("design/update-3idx-batch", "ns/op", all, updateBatch, "the same 1,000 at a time; per object"),
		contest("design/delete-3idx", "ns/op", all, remove, "Delete of each of 100,000 objects, one by one, in random order"),
		contest("design/replace-3idx", "ms/op", 1, replace, "Replace all of 100,000 objects by newer versions of them"),
		contest("design/get", "ns/op", 0, get, "Get by key in random order from 100,000 objects"),
		contest("design/iterate", "us/op", 0, iterate, "visit all of 100,000 objects"),
		contest("design/byindex-200", "us/op", 0, visit(corpus.NamespaceNames, store.VisitNamespace), "visit the 200 objects of a namespace, in random order of namespaces"),
		contest("design/byindex-2000", "us/op", 0, visit(corpus.NodeNames, store.VisitNode), "the same for the 2,000 objects of a node"),
		contest("design/replace-reader-max", "us", 1, readerDuringReplace, "the longest Get of a goroutine that reads without pause during a Replace"),
		contest("design/write-under-list", "ns", 1, write(store.VisitAll), "Update one by one, each timed by itself, while another goroutine visits all objects, over and over"),
		contest("design/write-under-byindex", "ns", 1, write(visitSomeNode), "the same while another goroutine visits the 2,000 objects of one node, over and over"),
		contest("design/bytes-per-object", "B/object", 1, bytesPerObject, "live heap that a store of 100,000 objects adds to the objects themselves, filled by one Replace"),
	}
}

func contest(name, unit string, n int, body func(opener) harness.Side, about string) harness.Contest {
	c := harness.Contest{Name: name, About: about, Unit: unit, N: n}
	for _, open := range designOpeners {
		c.Sides = append(c.Sides, func() harness.Side { return body(open) })
	}
	return c
}

// design is one of the designs that were not taken. They have indexes always.
type design struct{ designs.Design }

func openDesign(open func() designs.Design) opener {
	return func(bool) store { return design{open()} }
}

func (d design) VisitAll() int { return visitSeq(d.All()) }

func (d design) VisitNamespace(name string) int { return visitSeq(d.Find(designs.ByNamespace, name)) }
func (d design) VisitNode(name string) int      { return visitSeq(d.Find(designs.ByNode, name)) }

// ListNamespace is no contest.
func (design) ListNamespace(string) []*corpus.Object { panic("a design has no lister") }

func visitSeq(objects iter.Seq[*corpus.Object]) int {
	var v visitor
	for o := range objects {
		v.visit(o)
	}
	return v.seen
}
