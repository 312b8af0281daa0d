package simulation

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// writes changes objects of the server at random, and records each state.
type writes struct {
	s       *simulation
	present map[string]bool
	keys    []string
	states  map[string]stack.Object // by version
	count   int
}

func newWrites(s *simulation) *writes {
	return &writes{
		s: s, present: map[string]bool{}, states: map[string]stack.Object{},
		keys: strings.Fields("shop/a shop/b shop/c shop/d shop/e other/a other/f"),
	}
}

// some makes a few changes.
func (w *writes) some() {
	for range 1 + w.s.rng.IntN(6) {
		w.random()
	}
}

// random creates, changes or deletes an object. Most objects are sites. Some changes are
// of a page, which the reconciler has to repair.
func (w *writes) random() {
	rng := w.s.rng
	key := w.keys[rng.IntN(len(w.keys))]
	w.count++
	object := like(key)
	w.set(object)
	kind := rng.IntN(9)
	switch {
	case kind == 0:
		w.page(key+"-page", func(tb apitest.TB, page stack.Object) {
			apitest.Modify(tb, w.s.server, page, func(page *stack.ConfigMap) { page.Data = object.Data })
		})
	case kind == 1:
		w.page(key+"-page", func(tb apitest.TB, page stack.Object) { apitest.Delete(tb, w.s.server, page) })
	case !w.present[key]:
		w.present[key] = true
		w.write("create", key, func(tb apitest.TB) stack.Object { return apitest.Create(tb, w.s.server, object) })
	case kind < 4:
		delete(w.present, key)
		w.write("delete", key, func(tb apitest.TB) stack.Object { return apitest.Delete(tb, w.s.server, object) })
	default:
		w.write("update", key, func(tb apitest.TB) stack.Object {
			return apitest.Modify(tb, w.s.server, object, func(stored *stack.ConfigMap) {
				stored.Data, stored.Labels = object.Data, object.Labels
			})
		})
	}
}

// set sets the content of an object.
func (w *writes) set(object *stack.ConfigMap) {
	object.Data = map[string]string{"n": strings.Repeat("x", w.count%5) + string(rune('a'+w.count%26))}
	object.Labels = map[string]string{stack.SiteLabel: "yes"}
	if w.s.rng.IntN(5) == 0 {
		object.Labels = nil
	}
}

// write changes an object that no part may change, and records its state.
func (w *writes) write(verb, key string, change func(apitest.TB) stack.Object) {
	var object stack.Object
	if failure := attempt(func(tb apitest.TB) { object = change(tb) }); failure != "" {
		w.s.failf("the write %s %s fails, because a part has changed this object of the simulation: %s", verb, key, failure)
	}
	w.s.logf("write: %s %s at version %s, site: %t", verb, key, object.ResourceVersion, object.Labels != nil)
	if verb != "delete" {
		w.states[object.ResourceVersion] = object
	}
}

// page changes a page if it exists.
func (w *writes) page(key string, change func(apitest.TB, stack.Object)) {
	if attempt(func(tb apitest.TB) { change(tb, like(key)) }) == "" {
		w.s.logf("write: %s by hand", key)
	}
}

// attempt calls f and returns the failure of an access to the server.
func attempt(f func(apitest.TB)) (failure string) {
	defer func() {
		if value := recover(); value != nil {
			text, ok := value.(accessFailure)
			if !ok {
				panic(value)
			}
			failure = string(text)
		}
	}()
	f(access{})
	return ""
}

// access is the apitest.TB of an access that may fail.
type access struct{}

type accessFailure string

// Helper implements apitest.TB.
func (access) Helper() {}

// Fatalf implements apitest.TB.
func (access) Fatalf(format string, args ...any) { panic(accessFailure(fmt.Sprintf(format, args...))) }

// like returns an object with only the name of a key.
func like(key string) stack.Object {
	namespace, name, _ := strings.Cut(key, "/")
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
