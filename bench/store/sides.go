package store

import (
	"github.com/thinformer/thinformer/bench/corpus"
)

// store is what the cases do to either side. Every read goes through all that
// it finds, without a look into the objects: that would cost both sides the
// same, and more than the read itself.
type store interface {
	Add(*corpus.Object)
	Update(*corpus.Object)
	Delete(*corpus.Object)
	// Batch adds or updates all in one step.
	Batch([]*corpus.Object)
	// Replace makes the objects all there is.
	Replace([]*corpus.Object)
	Get(key string) (*corpus.Object, bool)
	VisitAll() int
	VisitNamespace(name string) int
	VisitNode(name string) int
	// ListNamespace is a lister's answer, in a slice of the caller's own.
	ListNamespace(name string) []*corpus.Object
}

// opener makes an empty store, with the three indexes or without any.
type opener func(indexed bool) store

// visitor takes every object that a read finds.
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
