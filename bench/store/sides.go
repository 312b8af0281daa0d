package store

import (
	"github.com/thinformer/thinformer/bench/corpus"
)

// store has the operations of the cases, for all sides. A read visits all objects that
// it finds but does not read their fields, which would cost both sides the same, and
// more than the read itself.
type store interface {
	Add(*corpus.Object)
	Update(*corpus.Object)
	Delete(*corpus.Object)
	// Batch adds or updates the objects in one step.
	Batch([]*corpus.Object)
	// Replace replaces the contents of the store.
	Replace([]*corpus.Object)
	Get(key string) (*corpus.Object, bool)
	VisitAll() int
	VisitNamespace(name string) int
	VisitNode(name string) int
	// ListNamespace returns the result of a lister, in a new slice.
	ListNamespace(name string) []*corpus.Object
}

// opener creates an empty store, with the three indexes or without indexes.
type opener func(indexed bool) store

// visitor counts the objects that a read finds.
type visitor struct {
	seen int
	last *corpus.Object
}

func (v *visitor) visit(o *corpus.Object) {
	v.seen++
	v.last = o
}

func byNamespace(o *corpus.Object) []string { return []string{o.Namespace} }
func byNode(o *corpus.Object) []string      { return []string{o.Node} }
func byApp(o *corpus.Object) []string       { return []string{o.Labels["app"]} }

func must(err error) {
	if err != nil {
		panic(err)
	}
}
