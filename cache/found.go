package cache

import (
	"iter"
	"slices"
)

// found is the answer to a question about a store: objects, of one version of
// it, and how many they are at most.
type found[T any] struct {
	all  iter.Seq[T]
	most int
}

// finder is a store of ours, which answers without a slice.
type finder interface {
	find(indexName, value string) (found[any], error)
	findLike(indexName string, obj any) (found[any], error)
}

// list is the answer in a slice, made once.
func (f found[T]) list() []any {
	list := make([]any, 0, f.most)
	f.all(func(obj T) bool {
		list = append(list, obj)
		return true
	})
	return list
}

// untyped is the answer of a store of anything.
func (f found[T]) untyped() found[any] {
	if all, ok := any(f.all).(iter.Seq[any]); ok {
		return found[any]{all: all, most: f.most}
	}
	return found[any]{most: f.most, all: func(yield func(any) bool) {
		for obj := range f.all {
			if !yield(obj) {
				return
			}
		}
	}}
}

// those is a list that was made by somebody else, as an answer.
func those(list []any) found[any] {
	return found[any]{all: slices.Values(list), most: len(list)}
}
