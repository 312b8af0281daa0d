package designs

import (
	"math/bits"
	"slices"
)

// hamt is a persistent hash trie from strings to V (CHAMP: entries and children
// in slices of their own, found by counting bits). The plain value is a version.
//
// Each node carries the token of the write that made it. That write changes it
// in place, so a batch copies a node once; any other write copies it first.
//
// Two keys whose 64 bits of hash are the same have no place in it.
type hamt[V any] struct{ root *hamtNode[V] }

type hamtNode[V any] struct {
	owner uint64
	// entryBits and childBits say which of the 32 places have an entry or a
	// child, never both.
	entryBits, childBits uint32
	entries              []hamtEntry[V]
	children             []*hamtNode[V]
}

type hamtEntry[V any] struct {
	key   string
	value V
}

const (
	hamtBits = 5
	hamtMask = 1<<hamtBits - 1
)

// place returns the index of the entry or child of a bit.
func place(set, bit uint32) int { return bits.OnesCount32(set & (bit - 1)) }

func bitOf(h uint64, shift uint) uint32 { return 1 << (h >> shift & hamtMask) }

func (t hamt[V]) get(key string, h uint64) (value V, ok bool) {
	for n, shift := t.root, uint(0); n != nil; shift += hamtBits {
		bit := bitOf(h, shift)
		if n.entryBits&bit != 0 {
			e := &n.entries[place(n.entryBits, bit)]
			if e.key == key {
				return e.value, true
			}
			return value, false
		}
		if n.childBits&bit == 0 {
			return value, false
		}
		n = n.children[place(n.childBits, bit)]
	}
	return value, false
}

// set makes value the one of key, in a version that owner makes.
func (t *hamt[V]) set(key string, h uint64, value V, owner uint64) {
	if t.root == nil {
		t.root = &hamtNode[V]{owner: owner}
	}
	t.root = t.root.set(key, h, 0, value, owner)
}

func (n *hamtNode[V]) set(key string, h uint64, shift uint, value V, owner uint64) *hamtNode[V] {
	bit := bitOf(h, shift)
	switch {
	case n.childBits&bit != 0:
		at := place(n.childBits, bit)
		child := n.children[at].set(key, h, shift+hamtBits, value, owner)
		if child == n.children[at] {
			return n
		}
		n = n.own(owner, 0, 0)
		n.children[at] = child
	case n.entryBits&bit == 0:
		n = n.own(owner, 1, 0)
		n.entries = slices.Insert(n.entries, place(n.entryBits, bit), hamtEntry[V]{key, value})
		n.entryBits |= bit
	default:
		at := place(n.entryBits, bit)
		there := n.entries[at]
		if there.key == key {
			n = n.own(owner, 0, 0)
			n.entries[at].value = value
			return n
		}
		// Two keys: they move to a child, together or apart.
		if shift >= 64 {
			panic("two keys have the same hash")
		}
		child := &hamtNode[V]{owner: owner}
		child = child.set(there.key, hashOf(there.key), shift+hamtBits, there.value, owner)
		child = child.set(key, h, shift+hamtBits, value, owner)
		n = n.own(owner, 0, 1)
		n.entries = slices.Delete(n.entries, at, at+1)
		n.entryBits &^= bit
		n.children = slices.Insert(n.children, place(n.childBits, bit), child)
		n.childBits |= bit
	}
	return n
}

// remove takes out a key that is there.
func (t *hamt[V]) remove(key string, h uint64, owner uint64) {
	if t.root = t.root.remove(h, 0, owner); t.root.childBits|t.root.entryBits == 0 {
		t.root = nil
	}
}

func (n *hamtNode[V]) remove(h uint64, shift uint, owner uint64) *hamtNode[V] {
	bit := bitOf(h, shift)
	if n.entryBits&bit != 0 {
		n = n.own(owner, 0, 0)
		at := place(n.entryBits, bit)
		n.entries = slices.Delete(n.entries, at, at+1)
		n.entryBits &^= bit
		return n
	}
	at := place(n.childBits, bit)
	child := n.children[at].remove(h, shift+hamtBits, owner)
	if child.childBits != 0 || len(child.entries) > 1 {
		if child != n.children[at] {
			n = n.own(owner, 0, 0)
			n.children[at] = child
		}
		return n
	}
	// The entry that is left alone moves up, so that equal content makes an
	// equal trie and deletes leave no chains behind.
	n = n.own(owner, 1, 0)
	n.children = slices.Delete(n.children, at, at+1)
	n.childBits &^= bit
	n.entries = slices.Insert(n.entries, place(n.entryBits, bit), child.entries[0])
	n.entryBits |= bit
	return n
}

// own returns n if it is the owner's, else a copy that is, with capacity for more.
func (n *hamtNode[V]) own(owner uint64, moreEntries, moreChildren int) *hamtNode[V] {
	if n.owner == owner {
		return n
	}
	mine := &hamtNode[V]{owner: owner, entryBits: n.entryBits, childBits: n.childBits}
	if capacity := len(n.entries) + moreEntries; capacity > 0 {
		mine.entries = append(make([]hamtEntry[V], 0, capacity), n.entries...)
	}
	if capacity := len(n.children) + moreChildren; capacity > 0 {
		mine.children = append(make([]*hamtNode[V], 0, capacity), n.children...)
	}
	return mine
}

// each calls yield for all entries, until it says no.
func (t hamt[V]) each(yield func(string, V) bool) bool { return t.root.each(yield) }

func (n *hamtNode[V]) each(yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	for i := range n.entries {
		if !yield(n.entries[i].key, n.entries[i].value) {
			return false
		}
	}
	for _, child := range n.children {
		if !child.each(yield) {
			return false
		}
	}
	return true
}
