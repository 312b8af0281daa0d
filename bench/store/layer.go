package store

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/bench/corpus"
	"github.com/thinformer/thinformer/cache"
)

// layer is the store of package cache, with the code of theirs.
type layer struct {
	untyped
	indexer cache.Indexer
}

func openLayer(indexed bool) store {
	indexers := cache.Indexers{}
	if indexed {
		indexers = cache.Indexers{cache.NamespaceIndex: namespaceFunc, "node": untypedFunc(byNode), "app": untypedFunc(byApp)}
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)
	return layer{untyped{indexer}, indexer}
}

func (s layer) Batch(objects []*corpus.Object) {
	transactions := make([]cache.Transaction, len(objects))
	for i, o := range objects {
		transactions[i] = cache.Transaction{Object: o, Type: cache.TransactionTypeUpdate}
	}
	if err := s.indexer.(cache.TransactionStore).Transaction(transactions...); err != nil {
		panic(err)
	}
}

func (s layer) ListNamespace(name string) (found []*corpus.Object) {
	must(cache.ListAllByNamespace(s.indexer, name, labels.Everything(), func(obj any) { found = append(found, obj.(*corpus.Object)) }))
	return found
}
