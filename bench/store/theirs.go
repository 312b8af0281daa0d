package store

import (
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/bench/corpus"
)

// listVersion is the resource version of every list that replaces.
const listVersion = "900000000"

// theirs is a client-go indexer with the key function that everybody uses.
type theirs struct{ indexer cache.Indexer }

func openTheirs(indexed bool) store {
	indexers := cache.Indexers{}
	if indexed {
		indexers = cache.Indexers{"namespace": untyped(byNamespace), "node": untyped(byNode), "app": untyped(byApp)}
	}
	return theirs{cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)}
}

func untyped(f func(*corpus.Object) []string) cache.IndexFunc {
	return func(obj any) ([]string, error) { return f(obj.(*corpus.Object)), nil }
}

func (s theirs) Add(o *corpus.Object)    { must(s.indexer.Add(o)) }
func (s theirs) Update(o *corpus.Object) { must(s.indexer.Update(o)) }
func (s theirs) Delete(o *corpus.Object) { must(s.indexer.Delete(o)) }

func (s theirs) Batch(objects []*corpus.Object) {
	transactions := make([]cache.Transaction, len(objects))
	for i, o := range objects {
		transactions[i] = cache.Transaction{Object: o, Type: cache.TransactionTypeUpdate}
	}
	if err := s.indexer.(cache.TransactionStore).Transaction(transactions...); err != nil {
		panic(err)
	}
}

func (s theirs) Replace(objects []*corpus.Object) {
	items := make([]any, len(objects))
	for i, o := range objects {
		items[i] = o
	}
	must(s.indexer.Replace(items, listVersion))
}

func (s theirs) Get(key string) (*corpus.Object, bool) {
	obj, exists, err := s.indexer.GetByKey(key)
	must(err)
	if !exists {
		return nil, false
	}
	return obj.(*corpus.Object), true
}

func (s theirs) VisitAll() int { return visitList(s.indexer.List()) }

func (s theirs) VisitNamespace(name string) int { return s.visitIndex("namespace", name) }
func (s theirs) VisitNode(name string) int      { return s.visitIndex("node", name) }

func (s theirs) visitIndex(name, value string) int {
	found, err := s.indexer.ByIndex(name, value)
	must(err)
	return visitList(found)
}

func visitList(found []any) int {
	var v visitor
	for _, obj := range found {
		v.visit(obj.(*corpus.Object))
	}
	return v.seen
}
