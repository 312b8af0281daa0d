package indexer

// vector is a persistent array: the plain value is a version, and copying it
// keeps that version. It is a radix tree of small nodes, so that a change of
// one element copies a short path and shares the rest.
//
// Two ways to change one, and readers see neither happen:
//
//   - set copies the nodes on the path that do not carry the writer's token
//     and changes the copies. Readers hold other nodes.
//   - push writes behind the end, in place. A version has a length, which its
//     holder keeps, and nobody reads behind the length of a version. pop
//     copies, so no longer version shares what a later push writes to.
//
// The length stands with the holder because holders publish it in different
// ways: in a root that is swapped, or in an atomic counter.
//
// Only one of the fields is in use, chosen by the length: so growing in place
// sets a field that no reader of a shorter version looks at. Seven levels of
// branches take as many elements as a uint32 can count.
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

	// The lengths that a tree of so many levels of branches holds at most.
	most0 = leafSize
	most1 = most0 << branchBits
	most2 = most1 << branchBits
	most3 = most2 << branchBits
	most4 = most3 << branchBits
	most5 = most4 << branchBits
	most6 = most5 << branchBits
)

// token marks the nodes that one write made: that write may change them in
// place, since nobody else has seen them. Tokens are never used twice.
type token uint64

// nobody is the token of no write.
const nobody token = 0

type leaf[E any] struct {
	owner token
	// holes has a bit for each element that was there once and is not now.
	// Elements behind the length have none, so push need not touch it.
	holes uint16
	items [leafSize]E
}

type branch[K any] struct {
	owner token
	kids  [branchSize]*K
}

// leafAt returns the leaf that holds element i of the version of length n. The
// levels are written out, here and below: a read is a handful of loads then.
func (v *vector[E]) leafAt(i, n uint32) *leaf[E] {
	switch {
	case n <= most0:
		return v.leaf
	case n <= most1:
		return v.b1.kids[i>>4&15]
	case n <= most2:
		return v.b2.kids[i>>8&15].kids[i>>4&15]
	case n <= most3:
		return v.b3.kids[i>>12&15].kids[i>>8&15].kids[i>>4&15]
	case n <= most4:
		return v.b4.kids[i>>16&15].kids[i>>12&15].kids[i>>8&15].kids[i>>4&15]
	case n <= most5:
		return v.b5.kids[i>>20&15].kids[i>>16&15].kids[i>>12&15].kids[i>>8&15].kids[i>>4&15]
	case n <= most6:
		return v.b6.kids[i>>24&15].kids[i>>20&15].kids[i>>16&15].kids[i>>12&15].kids[i>>8&15].kids[i>>4&15]
	default:
		return v.b7.kids[i>>28&15].kids[i>>24&15].kids[i>>20&15].kids[i>>16&15].kids[i>>12&15].kids[i>>8&15].kids[i>>4&15]
	}
}

// get returns element i of the version of length n.
func (v *vector[E]) get(i, n uint32) E {
	return v.leafAt(i, n).items[i&(leafSize-1)]
}

// own returns the leaf of element i of the version of length n, after making
// it and the path to it the writer's.
func (v *vector[E]) own(i, n uint32, t token) *leaf[E] {
	switch {
	case n <= most0:
		return ownLeaf(&v.leaf, t)
	case n <= most1:
		return ownLeaf(ownKid(&v.b1, i>>4, t), t)
	case n <= most2:
		return ownLeaf(ownKid(ownKid(&v.b2, i>>8, t), i>>4, t), t)
	case n <= most3:
		return ownLeaf(ownKid(ownKid(ownKid(&v.b3, i>>12, t), i>>8, t), i>>4, t), t)
	case n <= most4:
		return ownLeaf(ownKid(ownKid(ownKid(ownKid(&v.b4, i>>16, t), i>>12, t), i>>8, t), i>>4, t), t)
	case n <= most5:
		return ownLeaf(ownKid(ownKid(ownKid(ownKid(ownKid(&v.b5, i>>20, t), i>>16, t), i>>12, t), i>>8, t), i>>4, t), t)
	case n <= most6:
		return ownLeaf(ownKid(ownKid(ownKid(ownKid(ownKid(ownKid(&v.b6, i>>24, t), i>>20, t), i>>16, t), i>>12, t), i>>8, t), i>>4, t), t)
	default:
		return ownLeaf(ownKid(ownKid(ownKid(ownKid(ownKid(ownKid(ownKid(&v.b7, i>>28, t), i>>24, t), i>>20, t), i>>16, t), i>>12, t), i>>8, t), i>>4, t), t)
	}
}

// set makes e element i of the version of length n, and fills a hole there.
func (v *vector[E]) set(i, n uint32, e E, t token) {
	l := v.own(i, n, t)
	l.items[i&(leafSize-1)] = e
	l.holes &^= 1 << (i & (leafSize - 1))
}

// clear makes element i of the version of length n a hole.
func (v *vector[E]) clear(i, n uint32, t token) {
	var none E
	l := v.own(i, n, t)
	l.items[i&(leafSize-1)] = none
	l.holes |= 1 << (i & (leafSize - 1))
}

// push makes e element n of the version of length n, which thereby becomes
// one of length n+1. Only the newest version may be pushed to: two versions
// that grew from one would share their tails.
//
// The element goes into the last leaf in place. A new leaf is hung into nodes
// of the writer's, so that an older version does not come to hold it; with the
// token nobody it is hung in place, for a holder whose header is shared.
func (v *vector[E]) push(n uint32, e E, t token) {
	if n&(leafSize-1) == 0 {
		v.grow(n, &leaf[E]{owner: t}, t)
	}
	v.leafAt(n, n+1).items[n&(leafSize-1)] = e
}

// grow hangs l into the tree as the leaf of element n.
func (v *vector[E]) grow(n uint32, l *leaf[E], t token) {
	switch n {
	case 0:
		v.leaf = l
		return
	case most0:
		v.b1 = &branch[leaf[E]]{owner: t}
		v.b1.kids[0] = v.leaf
	case most1:
		v.b2 = &branch[branch[leaf[E]]]{owner: t}
		v.b2.kids[0] = v.b1
	case most2:
		v.b3 = &branch[branch[branch[leaf[E]]]]{owner: t}
		v.b3.kids[0] = v.b2
	case most3:
		v.b4 = &branch[branch[branch[branch[leaf[E]]]]]{owner: t}
		v.b4.kids[0] = v.b3
	case most4:
		v.b5 = &branch[branch[branch[branch[branch[leaf[E]]]]]]{owner: t}
		v.b5.kids[0] = v.b4
	case most5:
		v.b6 = &branch[branch[branch[branch[branch[branch[leaf[E]]]]]]]{owner: t}
		v.b6.kids[0] = v.b5
	case most6:
		v.b7 = &branch[branch[branch[branch[branch[branch[branch[leaf[E]]]]]]]]{owner: t}
		v.b7.kids[0] = v.b6
	}
	switch {
	case n < most1:
		*kid(&v.b1, n>>4, t) = l
	case n < most2:
		*kid(kid(&v.b2, n>>8, t), n>>4, t) = l
	case n < most3:
		*kid(kid(kid(&v.b3, n>>12, t), n>>8, t), n>>4, t) = l
	case n < most4:
		*kid(kid(kid(kid(&v.b4, n>>16, t), n>>12, t), n>>8, t), n>>4, t) = l
	case n < most5:
		*kid(kid(kid(kid(kid(&v.b5, n>>20, t), n>>16, t), n>>12, t), n>>8, t), n>>4, t) = l
	case n < most6:
		*kid(kid(kid(kid(kid(kid(&v.b6, n>>24, t), n>>20, t), n>>16, t), n>>12, t), n>>8, t), n>>4, t) = l
	default:
		*kid(kid(kid(kid(kid(kid(kid(&v.b7, n>>28, t), n>>24, t), n>>20, t), n>>16, t), n>>12, t), n>>8, t), n>>4, t) = l
	}
}

// pop takes the last element from the version of length n.
func (v *vector[E]) pop(n uint32, t token) {
	var none E
	v.set(n-1, n, none, t)
	switch n - 1 {
	case 0:
		v.leaf = nil
	case most0:
		v.leaf, v.b1 = v.b1.kids[0], nil
	case most1:
		v.b1, v.b2 = v.b2.kids[0], nil
	case most2:
		v.b2, v.b3 = v.b3.kids[0], nil
	case most3:
		v.b3, v.b4 = v.b4.kids[0], nil
	case most4:
		v.b4, v.b5 = v.b5.kids[0], nil
	case most5:
		v.b5, v.b6 = v.b6.kids[0], nil
	case most6:
		v.b6, v.b7 = v.b7.kids[0], nil
	}
}

// trim lets go of the smaller trees that growing has left behind: their nodes
// may hold what the version of length n no longer does.
func (v *vector[E]) trim(n uint32) {
	if n > most0 {
		v.leaf = nil
	}
	if n > most1 {
		v.b1 = nil
	}
	if n > most2 {
		v.b2 = nil
	}
	if n > most3 {
		v.b3 = nil
	}
	if n > most4 {
		v.b4 = nil
	}
	if n > most5 {
		v.b5 = nil
	}
	if n > most6 {
		v.b6 = nil
	}
}

func ownLeaf[E any](at **leaf[E], t token) *leaf[E] {
	if (*at).owner != t {
		mine := **at
		mine.owner = t
		*at = &mine
	}
	return *at
}

// ownKid makes the branch at the writer's and returns the place of its kid i.
func ownKid[K any](at **branch[K], i uint32, t token) **K {
	if (*at).owner != t {
		mine := **at
		mine.owner = t
		*at = &mine
	}
	return &(*at).kids[i&(branchSize-1)]
}

// kid is ownKid for growing: it makes the branch if it is not there, and copies
// none for nobody.
func kid[K any](at **branch[K], i uint32, t token) **K {
	switch {
	case *at == nil:
		*at = &branch[K]{owner: t}
	case t != nobody:
		return ownKid(at, i, t)
	}
	return &(*at).kids[i&(branchSize-1)]
}
