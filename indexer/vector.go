package indexer

// vector is a persistent array: a copy of its value is a version, which does
// not change. It is a radix tree of small nodes, so that a change of one
// element copies a short path and shares all other nodes.
//
// Readers do not see changes of the version that they hold:
//
//   - set copies the nodes on the path that do not have the writer's token, and
//     changes the copies.
//   - push writes behind the end, in place. The holder of a version keeps its
//     length, and readers do not read behind that. pop copies, so that a later push
//     does not write to nodes of a longer version.
//
// The holder keeps the length because holders publish it in different ways: in
// a root that is replaced, or in an atomic counter.
//
// The length selects the only field that is in use. Growing in place therefore
// sets a field that readers of a shorter version do not use. A tree with seven
// levels of branches can have as many elements as a uint32 can count.
type vector[E any] struct {
	leaf *leaf[E]
	b1   *branch[leaf[E]]
	b2   *branch[branch[leaf[E]]]
	b3   *branch[branch[branch[leaf[E]]]]
	b4   *branch[branch[branch[branch[leaf[E]]]]]
	b5   *branch[branch[branch[branch[branch[leaf[E]]]]]]
	b6   *branch[branch[branch[branch[branch[branch[leaf[E]]]]]]]
	b7   *branch[branch[branch[branch[branch[branch[branch[leaf[E]]]]]]]]
}

const (
	leafBits   = 4
	leafSize   = 1 << leafBits
	branchBits = 4
	branchSize = 1 << branchBits

	// The maximum lengths of trees with 0 to 6 levels of branches.
	maxLen0 = leafSize
	maxLen1 = maxLen0 << branchBits
	maxLen2 = maxLen1 << branchBits
	maxLen3 = maxLen2 << branchBits
	maxLen4 = maxLen3 << branchBits
	maxLen5 = maxLen4 << branchBits
	maxLen6 = maxLen5 << branchBits
)

// token marks the nodes that one write has created. That write may change them
// in place, because no reader has seen them. Tokens are never reused.
type token uint64

// noToken is the token of no write.
const noToken token = 0

type leaf[E any] struct {
	owner token
	// holes has a bit for each element that was removed. Elements behind the
	// length have no bit set, so push does not change it.
	holes uint16
	items [leafSize]E
}

type branch[K any] struct {
	owner    token
	children [branchSize]*K
}

// leafAt returns the leaf of element i of the version of length n. The levels
// are written out, here and below, so that a read is a few loads.
func (v *vector[E]) leafAt(i, n uint32) *leaf[E] {
	switch {
	case n <= maxLen0:
		return v.leaf
	case n <= maxLen1:
		return v.b1.children[i>>4&15]
	case n <= maxLen2:
		return v.b2.children[i>>8&15].children[i>>4&15]
	case n <= maxLen3:
		return v.b3.children[i>>12&15].children[i>>8&15].children[i>>4&15]
	case n <= maxLen4:
		return v.b4.children[i>>16&15].children[i>>12&15].children[i>>8&15].children[i>>4&15]
	case n <= maxLen5:
		return v.b5.children[i>>20&15].children[i>>16&15].children[i>>12&15].children[i>>8&15].children[i>>4&15]
	case n <= maxLen6:
		return v.b6.children[i>>24&15].children[i>>20&15].children[i>>16&15].children[i>>12&15].children[i>>8&15].children[i>>4&15]
	default:
		return v.b7.children[i>>28&15].children[i>>24&15].children[i>>20&15].children[i>>16&15].children[i>>12&15].children[i>>8&15].children[i>>4&15]
	}
}

// get returns element i of the version of length n.
func (v *vector[E]) get(i, n uint32) E {
	return v.leafAt(i, n).items[i&(leafSize-1)]
}

// isHole reports whether element i of the version of length n was cleared.
func (v *vector[E]) isHole(i, n uint32) bool {
	return v.leafAt(i, n).holes>>(i&(leafSize-1))&1 == 1
}

// writable makes the writer the owner of the leaf of element i of the version of
// length n, and of the path to it, and returns the leaf.
func (v *vector[E]) writable(i, n uint32, t token) *leaf[E] {
	b6, b5, b4, b3, b2, b1, l := &v.b6, &v.b5, &v.b4, &v.b3, &v.b2, &v.b1, &v.leaf
	if n > maxLen6 {
		b6 = writableChild(&v.b7, i>>28, t)
	}
	if n > maxLen5 {
		b5 = writableChild(b6, i>>24, t)
	}
	if n > maxLen4 {
		b4 = writableChild(b5, i>>20, t)
	}
	if n > maxLen3 {
		b3 = writableChild(b4, i>>16, t)
	}
	if n > maxLen2 {
		b2 = writableChild(b3, i>>12, t)
	}
	if n > maxLen1 {
		b1 = writableChild(b2, i>>8, t)
	}
	if n > maxLen0 {
		l = writableChild(b1, i>>4, t)
	}
	return writableLeaf(l, t)
}

// set sets element i of the version of length n to e. The element is then no
// hole.
func (v *vector[E]) set(i, n uint32, e E, t token) {
	l := v.writable(i, n, t)
	l.items[i&(leafSize-1)] = e
	l.holes &^= 1 << (i & (leafSize - 1))
}

// clear makes element i of the version of length n a hole.
func (v *vector[E]) clear(i, n uint32, t token) {
	var none E
	l := v.writable(i, n, t)
	l.items[i&(leafSize-1)] = none
	l.holes |= 1 << (i & (leafSize - 1))
}

// push appends e to the version of length n, which then has length n+1. Only
// the newest version may grow, because two versions that grow from the same one
// would share their new elements.
//
// The element is added to the last leaf in place. The path to a new leaf is
// made of nodes that the writer owns, so that an older version does not retain
// the leaf. With noToken the path is changed in place, for a holder whose
// vector is shared.
func (v *vector[E]) push(n uint32, e E, t token) {
	if n&(leafSize-1) == 0 {
		v.grow(n, &leaf[E]{owner: t}, t)
	}
	v.leafAt(n, n+1).items[n&(leafSize-1)] = e
}

// grow adds l to the tree as the leaf of element n.
func (v *vector[E]) grow(n uint32, l *leaf[E], t token) {
	switch n {
	case 0:
		v.leaf = l
		return
	case maxLen0:
		v.b1 = &branch[leaf[E]]{owner: t}
		v.b1.children[0] = v.leaf
	case maxLen1:
		v.b2 = &branch[branch[leaf[E]]]{owner: t}
		v.b2.children[0] = v.b1
	case maxLen2:
		v.b3 = &branch[branch[branch[leaf[E]]]]{owner: t}
		v.b3.children[0] = v.b2
	case maxLen3:
		v.b4 = &branch[branch[branch[branch[leaf[E]]]]]{owner: t}
		v.b4.children[0] = v.b3
	case maxLen4:
		v.b5 = &branch[branch[branch[branch[branch[leaf[E]]]]]]{owner: t}
		v.b5.children[0] = v.b4
	case maxLen5:
		v.b6 = &branch[branch[branch[branch[branch[branch[leaf[E]]]]]]]{owner: t}
		v.b6.children[0] = v.b5
	case maxLen6:
		v.b7 = &branch[branch[branch[branch[branch[branch[branch[leaf[E]]]]]]]]{owner: t}
		v.b7.children[0] = v.b6
	}
	b6, b5, b4, b3, b2, b1 := &v.b6, &v.b5, &v.b4, &v.b3, &v.b2, &v.b1
	if n >= maxLen6 {
		b6 = childForGrowth(&v.b7, n>>28, t)
	}
	if n >= maxLen5 {
		b5 = childForGrowth(b6, n>>24, t)
	}
	if n >= maxLen4 {
		b4 = childForGrowth(b5, n>>20, t)
	}
	if n >= maxLen3 {
		b3 = childForGrowth(b4, n>>16, t)
	}
	if n >= maxLen2 {
		b2 = childForGrowth(b3, n>>12, t)
	}
	if n >= maxLen1 {
		b1 = childForGrowth(b2, n>>8, t)
	}
	*childForGrowth(b1, n>>4, t) = l
}

// pop removes the last element of the version of length n.
func (v *vector[E]) pop(n uint32, t token) {
	var none E
	v.set(n-1, n, none, t)
	switch n - 1 {
	case 0:
		v.leaf = nil
	case maxLen0:
		v.leaf, v.b1 = v.b1.children[0], nil
	case maxLen1:
		v.b1, v.b2 = v.b2.children[0], nil
	case maxLen2:
		v.b2, v.b3 = v.b3.children[0], nil
	case maxLen3:
		v.b3, v.b4 = v.b4.children[0], nil
	case maxLen4:
		v.b4, v.b5 = v.b5.children[0], nil
	case maxLen5:
		v.b5, v.b6 = v.b6.children[0], nil
	case maxLen6:
		v.b6, v.b7 = v.b7.children[0], nil
	}
}

// trim releases the smaller trees that remain after growth. Their nodes may
// have elements that the version of length n no longer has.
func (v *vector[E]) trim(n uint32) {
	if n > maxLen0 {
		v.leaf = nil
	}
	if n > maxLen1 {
		v.b1 = nil
	}
	if n > maxLen2 {
		v.b2 = nil
	}
	if n > maxLen3 {
		v.b3 = nil
	}
	if n > maxLen4 {
		v.b4 = nil
	}
	if n > maxLen5 {
		v.b5 = nil
	}
	if n > maxLen6 {
		v.b6 = nil
	}
}

func writableLeaf[E any](link **leaf[E], t token) *leaf[E] {
	if (*link).owner != t {
		owned := **link
		owned.owner = t
		*link = &owned
	}
	return *link
}

// writableChild makes the writer the owner of the branch at *link, and returns the
// address of its child i.
func writableChild[K any](link **branch[K], i uint32, t token) **K {
	if (*link).owner != t {
		owned := **link
		owned.owner = t
		*link = &owned
	}
	return &(*link).children[i&(branchSize-1)]
}

// childForGrowth is writableChild for growth. It creates a missing branch, and does
// not copy a branch for noToken.
func childForGrowth[K any](link **branch[K], i uint32, t token) **K {
	switch {
	case *link == nil:
		*link = &branch[K]{owner: t}
	case t != noToken:
		return writableChild(link, i, t)
	}
	return &(*link).children[i&(branchSize-1)]
}
