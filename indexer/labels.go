package indexer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// AddLabelIndex adds an index over the values of one label, which listers use
// by themselves: a selector that pins the label (a=b, a in (b,c)) looks only
// at the objects that have it so. The index's name is "label:" and the label.
//
// Possible errors: ErrIndexExists, ErrReadOnly.
func (ix *Indexer[T]) AddLabelIndex(label string) (*Index[T], error) {
	def := &definition[T]{
		name:  "label:" + label,
		label: label,
		values: func(obj T) []string {
			if value, ok := labelsOf(obj)[label]; ok {
				return []string{value}
			}
			return nil
		},
	}
	if err := ix.writes.addIndexes(def); err != nil {
		return nil, err
	}
	return def.handle, nil
}

// labelsOf returns the labels of an object; types without any have none.
func labelsOf[T any](obj T) labels.Set {
	if isNil(obj) {
		return nil
	}
	switch o := any(obj).(type) {
	case interface{ GetLabels() map[string]string }:
		return o.GetLabels()
	case metav1.ObjectMetaAccessor:
		if meta := o.GetObjectMeta(); !isNil(meta) {
			return meta.GetLabels()
		}
	}
	return nil
}

// pinned returns the label index that a requirement can be answered from, and
// the values to look for.
func pinned[T any](s Snapshot[T], r labels.Requirement) (ix *Index[T], values []string, ok bool) {
	switch r.Operator() {
	case selection.Equals, selection.DoubleEquals, selection.In:
	default:
		return nil, nil, false
	}
	ix, ok = s.reader().index(func(def *definition[T]) bool { return def.label == r.Key() })
	if !ok || ix.at(s) == nil {
		return nil, nil, false
	}
	return ix, r.Values().UnsortedList(), true
}
