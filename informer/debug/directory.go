package debug

import (
	"fmt"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// An entry is an informer with its ID.
type entry struct {
	// id is the name of the informer. If several have the same name, #2, #3 ... is
	// appended to all but the first.
	id       string
	state    informer.State
	informer informer.AnyInformer
}

// directory returns an entry with a unique ID for each informer that is not nil.
func directory(informers []informer.AnyInformer) []entry {
	taken := map[string]bool{}
	duplicates := map[string]int{}
	var entries []entry
	for _, inf := range informers {
		if nilcheck.IsNilPointer(inf) {
			continue
		}
		state := inf.State()
		id := state.Name
		for id == "" || taken[id] {
			duplicates[state.Name]++
			id = fmt.Sprintf("%s#%d", state.Name, duplicates[state.Name]+1)
		}
		taken[id] = true
		entries = append(entries, entry{id, state, inf})
	}
	return entries
}

func find(entries []entry, id string) (entry, bool) {
	for _, e := range entries {
		if e.id == id {
			return e, true
		}
	}
	return entry{}, false
}
