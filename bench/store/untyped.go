package store

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/corpus"
)

// untyped has the methods that have the same types in client-go's store and in that of
// package cache.
type untyped struct {
	indexer interface {
		Add(obj any) error
		Update(obj any) error
		Delete(obj any) error
		Replace(list []any, version string) error
		GetByKey(key string) (item any, exists bool, err error)
		List() []any
		ByIndex(name, value string) ([]any, error)
	}
}

func untypedFunc(f func(*corpus.Object) []string) func(any) ([]string, error) {
	return func(obj any) ([]string, error) { return f(obj.(*corpus.Object)), nil }
}

// namespaceFunc is the index function by namespace. Listers call it with an ObjectMeta.
func namespaceFunc(obj any) ([]string, error) {
	return []string{obj.(metav1.Object).GetNamespace()}, nil
}

func (s untyped) Add(o *corpus.Object)    { must(s.indexer.Add(o)) }
func (s untyped) Update(o *corpus.Object) { must(s.indexer.Update(o)) }
func (s untyped) Delete(o *corpus.Object) { must(s.indexer.Delete(o)) }

func (s untyped) Replace(objects []*corpus.Object) {
	items := make([]any, len(objects))
	for i, o := range objects {
		items[i] = o
	}
	must(s.indexer.Replace(items, listVersion))
}

func (s untyped) Get(key string) (*corpus.Object, bool) {
	obj, exists, err := s.indexer.GetByKey(key)
	must(err)
	if !exists {
		return nil, false
	}
	return obj.(*corpus.Object), true
}

func (s untyped) VisitAll() int { return visitList(s.indexer.List()) }

func (s untyped) VisitNamespace(name string) int { return s.visitIndex("namespace", name) }
func (s untyped) VisitNode(name string) int      { return s.visitIndex("node", name) }

func (s untyped) visitIndex(name, value string) int {
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
