package informer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Each row of the table in pending's comment: what waits and what comes, told
// in letters (A1 is an Add of state 1, U12 an Update, D1 a Delete, D12 one of
// state 2 when 1 was seen before, with ? where nobody saw it go; i after it is the flag of the initial list), and what it
// becomes.
func TestMergingByTheTable(t *testing.T) {
	for _, row := range []struct{ what, comes, becomes string }{
		{"an Add keeps its flag", "A1i", "A1i"},
		{"Add and Update are an Add", "A1 U12", "A2"},
		{"the flag is the first one's", "A1i U12 U23", "A3i"},
		{"Updates go from the oldest to the newest", "U12 U23 U34", "U14"},
		{"Add and Delete are nothing", "A1 D1", ""},
		{"so are all that come between", "A1 U12 U23 D3", ""},
		{"what comes after nothing is new", "A1i D1 A2", "A2"},
		{"Update and Delete are the Delete", "U12 D2", "D12"},
		{"with its own flag", "U12 D2?", "D12?"},
		{"Delete and Add stay", "D1 A2", "D1 A2"},
		{"Update, Delete and Add are two", "U12 D2? A3", "D12? A3"},
		{"Delete, Add and Update are two", "D1 A2 U23", "D1 A3"},
		{"Delete, Add and Delete are the first Delete", "D1? A2 D2", "D1?"},
		{"however often", "U12 D2 A3 D3? A4 U45 D5 A6", "D12 A6"},
	} {
		t.Run(row.what, func(t *testing.T) {
			var p pending[int]
			for _, n := range notifications(t, "k", row.comes) {
				p.fold(&n)
			}
			if n := p.len(); n > 2 {
				t.Errorf("%d wait for one key", n)
			}
			if got := letters(p.take(nil, 100)); got != row.becomes {
				t.Errorf("%s becomes %q, want %q", row.comes, got, row.becomes)
			}
			if len(p.places) != 0 {
				t.Errorf("what was taken left %v", p.places)
			}
		})
	}
}

// A notification stays where the first stood that went into it; the mark of the
// end of the initial list stays behind all that came before it.
func TestMergingKeepsPlaces(t *testing.T) {
	var p pending[int]
	fold := func(key, text string) {
		for _, n := range notifications(t, key, text) {
			p.fold(&n)
		}
	}
	fold("a", "A1i")
	fold("b", "A1i")
	p.fold(&notification[int]{kind: synced})
	fold("c", "U12")
	fold("a", "U12")
	fold("b", "D1")
	fold("c", "D2")
	fold("b", "A3")
	fold("c", "A3")
	var got []string
	for _, n := range p.take(nil, 100) {
		got = append(got, n.key+letters([]notification[int]{n}))
	}
	if want := []string{"aA2i", "!", "cD12", "bA3", "cA3"}; !slices.Equal(got, want) {
		t.Errorf("taken %q, want %q", got, want)
	}
}

// Random legal histories of several keys, some taken in between: what is taken
// is what a twin makes of them that merges pairs in a list; it is a legal
// history with the same end; what was merged is counted; and what was taken or
// cancelled leaves no room behind.
func TestMergingAgainstATwin(t *testing.T) {
	for seed := range uint64(300) {
		if !t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { mergeRandomly(t, rand.New(rand.NewPCG(seed, 1))) }) {
			return
		}
	}
}

func mergeRandomly(t *testing.T, random *rand.Rand) {
	var p pending[int]
	var twin []notification[int]
	store, told := map[string]int{}, map[string]int{}
	came, merged, taken := 0, 0, 0
	take := func(most int) {
		got := p.take(nil, most)
		most = min(most, len(twin))
		if !slices.Equal(got, twin[:most]) {
			t.Fatalf("taken %v, want %v", got, twin[:most])
		}
		twin = twin[most:]
		taken += len(got)
		for _, n := range got {
			if complaint := live(told, n); complaint != "" {
				t.Fatal(complaint)
			}
		}
	}
	for range 400 {
		switch random.IntN(10) {
		case 0:
			take(random.IntN(8))
		default:
			n := happen(store, random)
			came++
			merged += p.fold(&n)
			twin = mergeByPairs(twin, n)
		}
		if p.len() != len(twin) {
			t.Fatalf("%d wait, want %d", p.len(), len(twin))
		}
		if room := len(p.items); room > 2*p.len()+minChunk {
			t.Fatalf("%d wait in room for %d", p.len(), room)
		}
	}
	take(len(twin))
	if came != taken+merged {
		t.Errorf("%d came, %d were taken and %d merged", came, taken, merged)
	}
	if fmt.Sprint(told) != fmt.Sprint(store) {
		t.Errorf("told %v, want %v", told, store)
	}
}

// mergeByPairs merges n with the last that waits for its key, by looking.
func mergeByPairs(list []notification[int], n notification[int]) []notification[int] {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].key != n.key {
			continue
		}
		one := letters(list[i : i+1])[:1] + letters([]notification[int]{n})[:1]
		switch one {
		case "AU", "UU":
			list[i].new = n.new
			return list
		case "UD":
			n.old = list[i].old
			list[i] = n
			return list
		case "AD":
			return slices.Delete(list, i, i+1)
		case "DA":
			return append(list, n)
		}
		panic("not a legal history: " + one)
	}
	return append(list, n)
}

// happen changes the store at random, and says what that was.
func happen(store map[string]int, random *rand.Rand) notification[int] {
	key := fmt.Sprint("k", random.IntN(6))
	was, exists := store[key]
	n := notification[int]{key: key, old: was, new: was + 1 + random.IntN(3)}
	switch {
	case !exists:
		n.kind, n.initial, n.new = added, random.IntN(4) == 0, random.IntN(100)
	case random.IntN(3) == 0:
		n.kind, n.finalStateUnknown, n.new = deleted, random.IntN(2) == 0, was
		delete(store, key)
		return n
	default:
		n.kind = updated
	}
	store[key] = n.new
	return n
}

// live changes what a handler knows by what it is told, and complains if it
// cannot be told that.
func live(known map[string]int, n notification[int]) string {
	was, exists := known[n.key]
	switch {
	case (n.kind == added) == exists, n.kind != added && was != n.old:
		return fmt.Sprintf("told %+v, knowing %v", n, known)
	case n.kind == deleted:
		delete(known, n.key)
	default:
		known[n.key] = n.new
	}
	return ""
}

// notifications are those that the text means.
func notifications(t *testing.T, key, text string) (all []notification[int]) {
	for _, word := range strings.Fields(text) {
		n := notification[int]{key: key}
		word, n.initial = strings.CutSuffix(word, "i")
		word, n.finalStateUnknown = strings.CutSuffix(word, "?")
		switch word[0] {
		case 'A':
			n.kind, n.new = added, int(word[1]-'0')
		case 'U':
			n.kind, n.old, n.new = updated, int(word[1]-'0'), int(word[2]-'0')
		case 'D':
			n.kind, n.old, n.new = deleted, int(word[1]-'0'), int(word[1]-'0')
		default:
			t.Fatal("what is ", word)
		}
		all = append(all, n)
	}
	return all
}

func letters(run []notification[int]) string {
	var words []string
	for _, n := range run {
		word := "!"
		switch n.kind {
		case added:
			word = fmt.Sprintf("A%d", n.new)
		case updated:
			word = fmt.Sprintf("U%d%d", n.old, n.new)
		case deleted:
			word = fmt.Sprintf("D%d", n.new)
			if n.old != n.new {
				word = fmt.Sprintf("D%d%d", n.old, n.new)
			}
		}
		if n.initial {
			word += "i"
		}
		if n.finalStateUnknown {
			word += "?"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
