// Package designs holds the ways to build the indexer that were not taken, each
// as small as its idea allows, to be measured beside the one that was.
//
// They keep the promise of the real one in its core: a read answers from one
// version of objects and index entries, and waits for no batch. [NewLocked] does
// not; it is here as the measure of what the promise costs. None of them has
// what a store needs beyond that: several values an object, indexes added to a
// full store, version rules, functions that panic. docs/design/indexer.md
// has the choice.
package designs

import (
	"hash/maphash"
	"iter"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/indexer"
)

// Design is a store of objects by key with three indexes. Any number of
// goroutines may read and write it.
type Design interface {
	// Add stores an object that is not there yet; Update does the same for one
	// that is. Either does the other's work too: they are two for the cases' sake.
	Add(*corpus.Object)
	Update(*corpus.Object)
	Delete(*corpus.Object)
	// Batch stores all in one step.
	Batch([]*corpus.Object)
	// Replace makes the objects all there is, in one step.
	Replace([]*corpus.Object)

	Get(key string) (*corpus.Object, bool)
	// All and Find yield from the version that is the newest when the iteration
	// begins, and from no other.
	All() iter.Seq[*corpus.Object]
	Find(index int, value string) iter.Seq[*corpus.Object]
}

// The indexes.
const (
	ByNamespace = iota
	ByNode
	ByApp
	indexCount
)

// indexes have the form that the real indexer asks for, so that none is cheaper
// to call than there.
var indexes = [indexCount]func(*corpus.Object) []string{
	func(o *corpus.Object) []string { return []string{o.Namespace} },
	func(o *corpus.Object) []string { return []string{o.Node} },
	func(o *corpus.Object) []string { return []string{o.Labels["app"]} },
}

// values are what an object is filed under: one value in each index.
type values [indexCount]string

func valuesOf(o *corpus.Object) (v values) {
	for i, index := range indexes {
		v[i] = index(o)[0]
	}
	return v
}

func keyOf(o *corpus.Object) string {
	key, err := indexer.MetaNamespaceKeyFunc(o)
	if err != nil {
		panic(err)
	}
	return key
}

var seed = maphash.MakeSeed()

func hashOf(s string) uint64 { return maphash.String(seed, s) }
