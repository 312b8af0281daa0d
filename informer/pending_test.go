package informer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The merges are the rows of the table in the comment of pending. A1 is an Add of
// state 1, U12 an Update from 1 to 2, D1 a Delete, D12 a Delete with state 2 whose
// previous state is 1. ? is finalStateUnknown, i isInInitialList.
func TestMergingFollowsTheTable(t *testing.T) {
	for _, row := range []struct{ name, input, want string }{
		{"Add in the initial list", "A1i", "A1i"},
		{"Add, Update", "A1 U12", "A2"},
		{"Add in the initial list, Updates", "A1i U12 U23", "A3i"},
		{"Updates", "U12 U23 U34", "U14"},
		{"Add, Delete", "A1 D1", ""},
		{"Add, Updates, Delete", "A1 U12 U23 D3", ""},
		{"Add, Delete, Add", "A1i D1 A2", "A2"},
		{"Update, Delete", "U12 D2", "D12"},
		{"Update, Delete with unknown final state", "U12 D2?", "D12?"},
		{"Delete, Add", "D1 A2", "D1 A2"},
		{"Update, Delete, Add", "U12 D2? A3", "D12? A3"},
		{"Delete, Add, Update", "D1 A2 U23", "D1 A3"},
		{"Delete, Add, Delete", "D1? A2 D2", "D1?"},
		{"several deletes and adds", "U12 D2 A3 D3? A4 U45 D5 A6", "D12 A6"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p pending[int]
			for _, n := range notifications(t, "k", row.input) {
				p.add(&n)
			}
			if n := p.len(); n > 2 {
				t.Errorf("%d notifications wait for one key", n)
			}
			if got := letters(p.take(nil, 100)); got != row.want {
				t.Errorf("%s is merged to %q, want %q", row.input, got, row.want)
			}
			if len(p.slots) != 0 {
				t.Errorf("slots after all items were taken: %v", p.slots)
			}
		})
	}
}

// A merged notification keeps the position of the first one. The mark of the end of the
// initial list stays after everything that arrived before it.
func TestMergingKeepsOrder(t *testing.T) {
	var p pending[int]
	add := func(key, text string) {
		for _, n := range notifications(t, key, text) {
			p.add(&n)
		}
	}
	add("a", "A1i")
	add("b", "A1i")
	p.add(&notification[int]{kind: synced})
	add("c", "U12")
	add("a", "U12")
	add("b", "D1")
	add("c", "D2")
	add("b", "A3")
	add("c", "A3")
	var got []string
	for _, n := range p.take(nil, 100) {
		got = append(got, n.key+letters([]notification[int]{n}))
	}
	if want := []string{"aA2i", "!", "cD12", "bA3", "cA3"}; !slices.Equal(got, want) {
		t.Errorf("taken %q, want %q", got, want)
	}
}

// Random legal histories of several keys, with some notifications taken in between. The
// taken notifications equal those of a model that merges pairs in a list. They are a
// legal history with the same result, merged notifications are counted, and no memory
// remains for taken or cancelled ones.
func TestMergingMatchesModel(t *testing.T) {
	for seed := range uint64(300) {
		if !t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { mergeRandomly(t, rand.New(rand.NewPCG(seed, 1))) }) {
			return
		}
	}
}

func mergeRandomly(t *testing.T, random *rand.Rand) {
	var p pending[int]
	var model []notification[int]
	store, received := map[string]int{}, map[string]int{}
	addCount, merged, taken := 0, 0, 0
	take := func(limit int) {
		got := p.take(nil, limit)
		limit = min(limit, len(model))
		if !slices.Equal(got, model[:limit]) {
			t.Fatalf("taken %v, want %v", got, model[:limit])
		}
		model = model[limit:]
		taken += len(got)
		for _, n := range got {
			if err := apply(received, n); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 400 {
		switch random.IntN(10) {
		case 0:
			take(random.IntN(8))
		default:
			n := randomChange(store, random)
			addCount++
			merged += p.add(&n)
			model = mergeByPairs(model, n)
		}
		if p.len() != len(model) {
			t.Fatalf("%d notifications wait, want %d", p.len(), len(model))
		}
		if size := len(p.items); size > 2*p.len()+minChunk {
			t.Fatalf("%d notifications wait, and the slice has %d items", p.len(), size)
		}
	}
	take(len(model))
	if addCount != taken+merged {
		t.Errorf("%d notifications were added, %d taken and %d merged", addCount, taken, merged)
	}
	if fmt.Sprint(received) != fmt.Sprint(store) {
		t.Errorf("the final state is %v, want %v", received, store)
	}
}

// mergeByPairs merges n with the last notification of its key, by a linear search.
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

// randomChange changes the store at random and returns the change.
func randomChange(store map[string]int, random *rand.Rand) notification[int] {
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

// apply applies a notification to the state of a handler. It returns an error if the
// notification is not legal.
func apply(known map[string]int, n notification[int]) error {
	was, exists := known[n.key]
	switch {
	case (n.kind == added) == exists, n.kind != added && was != n.old:
		return fmt.Errorf("received %+v, known states are %v", n, known)
	case n.kind == deleted:
		delete(known, n.key)
	default:
		known[n.key] = n.new
	}
	return nil
}

// notifications parses text in the notation of TestMergingFollowsTheTable.
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
			t.Fatal("invalid notification ", word)
		}
		all = append(all, n)
	}
	return all
}

// letters is the inverse of notifications.
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
