package intern

import "hash/maphash"

// MaxLen is the length of the longest string that is kept. Longer strings are
// rarely equal, and more expensive to compare.
const MaxLen = 64

// The table is set-associative: each hash selects a set of four entries. Two hold
// strings that have occurred again, the most recent first, and two hold new ones.
const (
	sets     = 512
	minSets  = 32
	ways     = 4
	firstNew = 2 // index of the first entry for new strings
)

// Table holds the interned strings. The zero value is not usable: call New.
type Table struct {
	seed maphash.Seed
	// sets has minSets elements at first, and grows to the constant; both are powers of two. A set is allocated
	// when it is first used. A program has a table for each open watch, and most watches
	// of few objects have few strings.
	sets  []*[ways]entry
	added uint32 // counts the strings; selects the new string to evict next
}

type entry struct {
	text string
	// boxed is text as an any, once Boxed has returned it.
	boxed any
}

// New returns an empty table. It takes 256 bytes, and 68 KiB when it is full.
func New() *Table { return &Table{seed: maphash.MakeSeed(), sets: make([]*[ways]entry, minSets)} }

// Get returns string(b).
func (t *Table) Get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > MaxLen {
		return string(b)
	}
	return t.find(b).text
}

// Boxed returns string(b) in an interface. Sharing it saves the allocation of the
// interface, too.
func (t *Table) Boxed(b []byte) any {
	if len(b) == 0 {
		return ""
	}
	if len(b) > MaxLen {
		return string(b)
	}
	p := t.find(b)
	if p.boxed == nil {
		p.boxed = p.text
	}
	return p.boxed
}

// find returns the entry of b, which it adds if necessary.
func (t *Table) find(b []byte) *entry {
	slot := t.slot(maphash.Bytes(t.seed, b))
	set := *slot
	if set == nil {
		set = new([ways]entry)
		*slot = set
	}
	for i := range set {
		if set[i].text != string(b) {
			continue
		}
		if i < firstNew {
			return &set[i]
		}
		if set[firstNew-1].text != "" && t.grow() {
			return t.find(b)
		}
		set[0], set[1], set[i] = set[i], set[0], set[1]
		return &set[0]
	}
	t.added++
	p := &set[firstNew+t.added%(ways-firstNew)]
	if p.text != "" && t.grow() {
		return t.find(b)
	}
	*p = entry{text: string(b)}
	return p
}

func (t *Table) slot(hash uint64) *(*[ways]entry) { return &t.sets[hash&uint64(len(t.sets)-1)] }

// grow doubles the number of sets, unless it is the maximum. The strings of a set are
// those of two sets then, each at its place, so none is evicted.
func (t *Table) grow() bool {
	old := t.sets
	if len(old) == sets {
		return false
	}
	t.sets = make([]*[ways]entry, 2*len(old))
	for _, set := range old {
		if set == nil {
			continue
		}
		for i, e := range set {
			if e.text == "" {
				continue
			}
			slot := t.slot(maphash.String(t.seed, e.text))
			if *slot == nil {
				*slot = new([ways]entry)
			}
			(*slot)[i] = e
		}
	}
	return true
}
