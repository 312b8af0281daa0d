package store

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/bench/corpus"
)

// listVersion is the resource version of the list in a Replace.
const listVersion = "900000000"

// theirs is a client-go indexer with the usual key function.
type theirs struct {
	untyped
	indexer cache.Indexer
}

func openTheirs(indexed bool) store {
	indexers := cache.Indexers{}
	if indexed {
		indexers = cache.Indexers{cache.NamespaceIndex: namespaceFunc, "node": untypedFunc(byNode), "app": untypedFunc(byApp)}
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)
	return theirs{untyped{indexer}, indexer}
}

func (s theirs) Batch(objects []*corpus.Object) {
	transactions := make([]cache.Transaction, len(objects))
	for i, o := range objects {
		transactions[i] = cache.Transaction{Object: o, Type: cache.TransactionTypeUpdate}
	}
	if err := s.indexer.(cache.TransactionStore).Transaction(transactions...); err != nil {
		panic(err)
	}
}

func (s theirs) ListNamespace(name string) (found []*corpus.Object) {
	must(cache.ListAllByNamespace(s.indexer, name, labels.Everything(), func(obj any) { found = append(found, obj.(*corpus.Object)) }))
	return found
}
