package indexer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/thinformer/thinformer/internal/nilcheck"
)

// AddLabelIndex adds an index over the values of one label. Listers use it
// automatically: a selector that requires values of the label (a=b, a in (b,c))
// reads only the objects with these values. The name of the index is "label:"
// and the label.
//
// Possible errors: ErrIndexExists, ErrReadOnly.
func (ix *Indexer[T]) AddLabelIndex(label string) (*Index[T], error) {
	def := &indexDefinition[T]{
		name:  "label:" + label,
		label: label,
		values: func(obj T) []string {
			if value, ok := labelsOf(obj)[label]; ok {
				return []string{value}
			}
			return nil
		},
	}
	if err := ix.writable.addIndexes(def); err != nil {
		return nil, err
	}
	return def.handle, nil
}

// labelsOf returns the labels of an object; nil if its type has none.
func labelsOf[T any](obj T) labels.Set {
	if nilcheck.IsNil(obj) {
		return nil
	}
	switch o := any(obj).(type) {
	case interface{ GetLabels() map[string]string }:
		return o.GetLabels()
	case metav1.ObjectMetaAccessor:
		if meta := o.GetObjectMeta(); !nilcheck.IsNil(meta) {
			return meta.GetLabels()
		}
	}
	return nil
}

// labelIndexFor returns the label index that can answer a requirement, and the
// values to look for.
func labelIndexFor[T any](s Snapshot[T], r labels.Requirement) (ix *Index[T], values []string, ok bool) {
	switch r.Operator() {
	case selection.Equals, selection.DoubleEquals, selection.In:
	default:
		return nil, nil, false
	}
	ix, ok = s.reader().index(func(def *indexDefinition[T]) bool { return def.label == r.Key() })
	if !ok || ix.at(s) == nil {
		return nil, nil, false
	}
	return ix, r.Values().UnsortedList(), true
}
