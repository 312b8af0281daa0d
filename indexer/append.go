package indexer

import "slices"

// AppendAll appends all objects to list and grows it at most once. It is faster
// than ranging over All, because it copies adjacent objects together.
func (s Snapshot[T]) AppendAll(list []T) []T {
	list = slices.Grow(list, s.Len())
	n := s.root.keys.bound
	for i := uint32(0); i < n; i += leafSize {
		l := s.root.objects.leafAt(i, n)
		items := l.items[:min(n-i, leafSize)]
		if l.holes == 0 {
			list = append(list, items...)
			continue
		}
		for j, obj := range items {
			if l.holes>>j&1 == 0 {
				list = append(list, obj)
			}
		}
	}
	return list
}

// AppendFound appends the objects with the given index value to list and grows
// it at most once. It is faster than ranging over Find.
func (s Snapshot[T]) AppendFound(list []T, ix *Index[T], value string) []T {
	v := ix.at(s)
	if v == nil {
		return slices.AppendSeq(list, s.Find(ix, value))
	}
	b := v.bucket(value)
	if b == nil {
		return list
	}
	bound := s.root.keys.bound
	list = slices.Grow(list, b.count(bound))
	for slot := range s.root.slots(b) {
		list = append(list, s.root.objects.get(slot, bound))
	}
	return list
}
