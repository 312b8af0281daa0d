package debug

import (
	"fmt"
	"reflect"

	"github.com/thinformer/thinformer/informer"
)

// An entry is an informer as the page knows it.
type entry struct {
	// id is the informer's name, or, if several are called so, that and a
	// number from 2 on for each but the first.
	id       string
	state    informer.State
	informer informer.AnyInformer
}

// directory gives each informer an id that no other has. Nils are left out.
func directory(informers []informer.AnyInformer) []entry {
	taken := map[string]bool{}
	called := map[string]int{}
	var entries []entry
	for _, inf := range informers {
		if v := reflect.ValueOf(inf); inf == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			continue
		}
		state := inf.State()
		id := state.Name
		for id == "" || taken[id] {
			called[state.Name]++
			id = fmt.Sprintf("%s#%d", state.Name, called[state.Name]+1)
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
