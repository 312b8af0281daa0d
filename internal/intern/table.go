package intern

import "hash/maphash"

// MaxLen is the length of the longest string that is kept. Longer ones are
// seldom the same, and cost more to compare.
const MaxLen = 64

// Strings are filed by hash in sets of four places: two for those that have
// come again since they were filed, the last to do so first, and two for
// newcomers.
const (
	sets      = 512
	ways      = 4
	newcomers = 2 // the place of the first newcomer
)

// Table is the strings that are remembered. The zero value is not ready: call
// New.
type Table struct {
	seed   maphash.Seed
	places [sets][ways]place
	turn   uint32 // which newcomer goes next
}

type place struct {
	text string
	// boxed is text as an any, once somebody has asked for it.
	boxed any
}

// New makes an empty table. It takes about 64 KiB.
func New() *Table { return &Table{seed: maphash.MakeSeed()} }

// Get is the string that b spells.
func (t *Table) Get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > MaxLen {
		return string(b)
	}
	return t.find(b).text
}

// Boxed is the string that b spells, in an interface: shared, it saves the
// allocation of the interface too.
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

// find is the place of b, which it gives it if need be.
func (t *Table) find(b []byte) *place {
	set := &t.places[maphash.Bytes(t.seed, b)%sets]
	for i := range set {
		if set[i].text != string(b) {
			continue
		}
		if i < newcomers {
			return &set[i]
		}
		set[0], set[1], set[i] = set[i], set[0], set[1]
		return &set[0]
	}
	t.turn++
	p := &set[newcomers+t.turn%(ways-newcomers)]
	*p = place{text: string(b)}
	return p
}
