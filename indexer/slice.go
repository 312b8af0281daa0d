package indexer

import "slices"

// AppendAll appends what All yields to list, which it makes larger once at most.
// Where a slice is wanted it costs less than All: it copies at once what lies side
// by side.
func (s Snapshot[T]) AppendAll(list []T) []T {
	list = slices.Grow(list, s.Len())
	n := s.root.keys.bound
	for i := uint32(0); i < n; i += leafSize {
		l := s.root.objects.leafAt(i, n)
		some := l.items[:min(n-i, leafSize)]
		if l.holes == 0 {
			list = append(list, some...)
			continue
		}
		for j, obj := range some {
			if l.holes>>j&1 == 0 {
				list = append(list, obj)
			}
		}
	}
	return list
}

// AppendFound appends what Find yields to list, which it makes larger once at
// most. It costs less than Find, as AppendAll does less than All.
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
	for p, n := uint32(0), b.n.Load(); p < n; {
		slots := b.chunk(p, n)
		for _, slot := range slots {
			if slot < bound {
				list = append(list, s.root.objects.get(slot, bound))
			}
		}
		p += uint32(len(slots))
	}
	return list
}
