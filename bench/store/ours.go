package store

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/indexer"
)

// ours is an indexer with the default options.
type ours struct {
	*indexer.Indexer[*corpus.Object]
	namespace, node *indexer.Index[*corpus.Object]
}

func openOurs(indexed bool) store {
	o := ours{Indexer: indexer.New(indexer.Options[*corpus.Object]{})}
	if indexed {
		o.namespace = o.index("namespace", byNamespace)
		o.node = o.index("node", byNode)
		o.index("app", byApp)
	}
	return o
}

func (s ours) index(name string, f func(*corpus.Object) []string) *indexer.Index[*corpus.Object] {
	index, err := s.AddIndex(name, f)
	must(err)
	return index
}

func (s ours) Add(o *corpus.Object)    { must(s.Indexer.Add(o)) }
func (s ours) Update(o *corpus.Object) { must(s.Indexer.Update(o)) }
func (s ours) Delete(o *corpus.Object) { must(s.Indexer.Delete(o)) }

func (s ours) Batch(objects []*corpus.Object) {
	changes := make([]indexer.Change[*corpus.Object], len(objects))
	for i, o := range objects {
		changes[i].Object = o
	}
	must(s.Apply(changes, objects[len(objects)-1].ResourceVersion))
}

func (s ours) Replace(objects []*corpus.Object) {
	items := func(yield func(*corpus.Object, error) bool) {
		for _, o := range objects {
			if !yield(o, nil) {
				return
			}
		}
	}
	must(s.Indexer.Replace(items, func() string { return listVersion }))
}

func (s ours) VisitAll() int {
	var v visitor
	for o := range s.All() {
		v.visit(o)
	}
	return v.seen
}

func (s ours) VisitNamespace(name string) int { return visitIndex(s.namespace, name) }
func (s ours) VisitNode(name string) int      { return visitIndex(s.node, name) }

func (s ours) ListNamespace(name string) []*corpus.Object {
	return slices.Collect(indexer.NewLister(s.Reader, schema.GroupResource{}).Namespace(name).List(labels.Everything()))
}

// collecting is our store for callers that need slices, which the untyped layer has to
// return.
type collecting struct{ ours }

func openCollecting(indexed bool) store { return collecting{openOurs(indexed).(ours)} }

func (s collecting) VisitAll() int { return visitSlice(s.All(), s.Len()) }
func (s collecting) VisitNamespace(name string) int {
	return visitSlice(s.namespace.Find(name), s.namespace.Count(name))
}
func (s collecting) VisitNode(name string) int {
	return visitSlice(s.node.Find(name), s.node.Count(name))
}

func visitSlice(found iter.Seq[*corpus.Object], size int) int {
	var v visitor
	for _, o := range slices.AppendSeq(make([]*corpus.Object, 0, size), found) {
		v.visit(o)
	}
	return v.seen
}

func visitIndex(index *indexer.Index[*corpus.Object], value string) int {
	var v visitor
	for o := range index.Find(value) {
		v.visit(o)
	}
	return v.seen
}
