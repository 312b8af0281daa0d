package listwatch

import "github.com/thinformer/thinformer/rest"

// VersionOrder declares whether the resource versions of a source are ordered:
// in one watch, the version of each event is greater than that of the previous
// event. A reflector compares versions only while they are ordered.
type VersionOrder uint8

const (
	// Ordered means that the versions are ordered, like those of a
	// kube-apiserver. An event or a list with an older version then shows that
	// the server has gone back to an older state.
	Ordered VersionOrder = iota
	// PresumedOrdered means that the versions are treated as ordered until a
	// watch shows that they are not.
	PresumedOrdered
	// UnknownOrder means that the versions are treated as unordered, like those
	// of many fakes, until a watch delivers a bookmark with a version. From then
	// on they are treated as PresumedOrdered.
	UnknownOrder
)

// VersionOrderer is an optional interface of a ListerWatcher. The versions of a
// source without it are [Ordered].
type VersionOrderer interface {
	// VersionOrder is called once, when a reflector is created.
	VersionOrder() VersionOrder
}

var _ VersionOrderer = (*ListWatch[*rest.SlimMeta])(nil)

// VersionOrder returns the order of the wrapped source if it declares one, and
// Order otherwise.
func (lw *ListWatch[T]) VersionOrder() VersionOrder {
	if source, ok := lw.source.(VersionOrderer); ok {
		return source.VersionOrder()
	}
	return lw.Order
}
