package indexer

import (
	"hash/maphash"
	"iter"
	"math/bits"
	"sync/atomic"
)

// table is a persistent hash table from strings to ids. Like a vector, a copy
// of its value is a version. It grows and shrinks by one page at a time (linear
// hashing), so that no write has to move all entries.
//
// Ids count up from 0. Each version has a bound, and entries with ids at or
// above it were added later. Readers skip these, so that an entry with a new id
// is added to its page in place. Every other change copies the page.
type table struct {
	dir   vector[*page]
	pages uint32 // length of dir; at least 1 after the first insert
	mask  uint32 // the lowest 2^k-1 that is not less than pages-1
	live  uint32 // entries
	bound uint32 // ids of this version are less than bound
}

const (
	pageSize = 8
	pageLoad = 5 // average entries per page above which the table grows
)

// page has the layout for a fast look-up. The first 64 bytes have everything
// except the keys. A look-up has no branch that depends on the position of an
// entry, so that a processor can look up several keys at once.
type page struct {
	// tags has a byte for each entry, from the lowest byte on, and 0 for no
	// entry. It is stored last and loaded first, so that an entry is complete
	// when its tag is visible. A visible entry never changes in place.
	tags  atomic.Uint64
	owner token
	// next has the entries that do not fit. Only a full page has a next page.
	next atomic.Pointer[page]
	ids  [pageSize]uint32
	_    [8]byte
	keys [pageSize]string
}

// seed is the same for all stores of the process, and secret.
var seed = maphash.MakeSeed()

// hash selects the page with its low bits. The tag is in its high bits.
type hash uint64

func hashOf(key string) hash { return hash(maphash.String(seed, key)) }

// tag distinguishes most keys of a page without a comparison of keys. It is
// neither 0, which marks an empty position, nor 1: see zeroBytes.
func (h hash) tag() uint64 { return max(uint64(h>>56), 2) }

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// zeroBytes returns a number with the high bit set in each byte that is 0 in x.
// Above the lowest of them, the high bit may also be set in a byte that is 1 in
// x. A search for a tag may therefore also find a position whose tag differs in
// the lowest bit. This must not be an empty position, because a writer may be
// writing its key and id. Therefore no tag is 1.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & highBits }

// pageOf returns the number of the first page for a hash.
func (t *table) pageOf(h hash) uint32 {
	if p := uint32(h) & t.mask; p < t.pages {
		return p
	}
	return uint32(h) & (t.mask >> 1)
}

// find returns the id of key.
func (t *table) find(key string, h hash) (uint32, bool) {
	if t.pages == 0 {
		return 0, false
	}
	tags := h.tag() * everyByte
	for p := t.dir.get(t.pageOf(h), t.pages); p != nil; p = p.next.Load() {
		for match := zeroBytes(p.tags.Load() ^ tags); match != 0; match &= match - 1 {
			i := bits.TrailingZeros64(match) / 8 % pageSize
			if p.keys[i] == key && p.ids[i] < t.bound {
				return p.ids[i], true
			}
		}
	}
	return 0, false
}

// all yields the entries in no particular order.
func (t *table) all() iter.Seq2[string, uint32] {
	return func(yield func(string, uint32) bool) {
		for b := range t.pages {
			for key, id := range t.dir.get(b, t.pages).chain() {
				if id < t.bound && !yield(key, id) {
					return
				}
			}
		}
	}
}

// allKeys yields the keys. It is not inlined, so that there is one copy of the function
// that it returns.
//
//go:noinline
func (t table) allKeys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range t.all() {
			if !yield(key) {
				return
			}
		}
	}
}

// len returns the number of entries of the page without its next pages.
func (p *page) len() int { return (bits.Len64(p.tags.Load()) + 7) / 8 }

// insert adds a key that the table does not have. An id that is equal to the
// bound is new and increases the bound.
func (t *table) insert(key string, h hash, id uint32, owner token) {
	t.reserve(1, owner)
	b := t.pageOf(h)
	var p *page
	if id == t.bound {
		t.bound++
		p = t.dir.get(b, t.pages)
	} else {
		p = t.writableChain(b, owner)
	}
	p.last().append(key, h, id, owner)
	t.live++
	if t.live > t.pages*pageLoad {
		t.split(owner)
	}
}

// reserve makes an empty table large enough for n keys, so that no key is moved
// while it grows. It does nothing to a table that has ever had a key.
func (t *table) reserve(n int, owner token) {
	if t.pages > 0 {
		return
	}
	for t.pages == 0 || int(t.pages)*pageLoad < n {
		t.dir.push(t.pages, &page{owner: owner}, owner)
		t.pages++
	}
	t.mask = 1<<bits.Len32(t.pages-1) - 1
	t.dir.trim(t.pages)
}

// remove removes a key that the table has.
func (t *table) remove(key string, h hash, owner token) {
	first := t.writableChain(t.pageOf(h), owner)
	p, i := first.locate(key, h)
	last := first.last()
	n := last.len() - 1
	p.put(i, last.keys[n], uint64(last.tag(n)), last.ids[n])
	last.keys[n] = ""
	last.tags.Store(last.tags.Load() &^ (0xff << (n * 8)))
	if n == 0 && last != first {
		for p = first; p.next.Load() != last; {
			p = p.next.Load()
		}
		p.next.Store(nil)
	}
	t.live--
	if t.pages > 1 && t.live < t.pages*pageLoad/4 {
		t.merge(owner)
	}
}

// split adds a page at the end and moves entries to it from the one page that
// had its keys before.
func (t *table) split(owner token) {
	if t.pages > t.mask {
		t.mask = t.mask<<1 | 1
	}
	low := t.pages & (t.mask >> 1)
	old := t.dir.get(low, t.pages)
	stay, move := &page{owner: owner}, &page{owner: owner}
	stayEnd, moveEnd := stay, move
	for key, id := range old.chain() {
		if h := hashOf(key); uint32(h)&t.mask == t.pages {
			moveEnd = moveEnd.append(key, h, id, owner)
		} else {
			stayEnd = stayEnd.append(key, h, id, owner)
		}
	}
	t.dir.set(low, t.pages, stay, owner)
	t.dir.push(t.pages, move, owner)
	t.pages++
	t.dir.trim(t.pages)
}

// merge is the inverse of split: it moves the entries of the last page back.
func (t *table) merge(owner token) {
	last := t.pages - 1
	low := last & (t.mask >> 1)
	old := t.dir.get(last, t.pages)
	t.dir.pop(t.pages, owner)
	t.pages = last
	if last == t.mask>>1+1 {
		t.mask >>= 1
	}
	end := t.writableChain(low, owner).last()
	for key, id := range old.chain() {
		end = end.append(key, hashOf(key), id, owner)
	}
}

// writableChain makes the writer the owner of page b and its next pages.
func (t *table) writableChain(b uint32, owner token) *page {
	head := t.dir.get(b, t.pages)
	first := head.writable(owner)
	if first != head {
		t.dir.set(b, t.pages, first, owner)
	}
	for p := first; ; {
		next := p.next.Load()
		if next == nil {
			return first
		}
		owned := next.writable(owner)
		p.next.Store(owned)
		p = owned
	}
}

func (p *page) writable(owner token) *page {
	if p.owner == owner {
		return p
	}
	owned := &page{owner: owner, ids: p.ids, keys: p.keys}
	owned.tags.Store(p.tags.Load())
	owned.next.Store(p.next.Load())
	return owned
}

// last returns the page at the end of p's chain.
func (p *page) last() *page {
	for next := p.next.Load(); next != nil; next = p.next.Load() {
		p = next
	}
	return p
}

// append adds an entry to p, which is the last page of a chain, and returns the
// page that is then the last.
func (p *page) append(key string, h hash, id uint32, owner token) *page {
	n := p.len()
	if n == pageSize {
		if p.owner != owner {
			owner = noToken // readers of p reach the new page as well
		}
		more := &page{owner: owner}
		more.put(0, key, h.tag(), id)
		p.next.Store(more)
		return more
	}
	p.put(n, key, h.tag(), id)
	return p
}

func (p *page) put(i int, key string, tag uint64, id uint32) {
	p.keys[i] = key
	p.ids[i] = id
	p.tags.Store(p.tags.Load()&^(0xff<<(i*8)) | tag<<(i*8))
}

func (p *page) tag(i int) byte { return byte(p.tags.Load() >> (i * 8)) }

// locate returns the page and the position of a key in p's chain.
func (p *page) locate(key string, h hash) (*page, int) {
	for {
		for i := range p.len() {
			if p.tag(i) == byte(h.tag()) && p.keys[i] == key {
				return p, i
			}
		}
		p = p.next.Load()
	}
}

// chain yields the entries of p and of its next pages.
func (p *page) chain() iter.Seq2[string, uint32] {
	return func(yield func(string, uint32) bool) {
		for ; p != nil; p = p.next.Load() {
			for i := range p.len() {
				if !yield(p.keys[i], p.ids[i]) {
					return
				}
			}
		}
	}
}
