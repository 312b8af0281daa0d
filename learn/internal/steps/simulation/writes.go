package simulation

import (
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

// random creates, changes or deletes an object. Most objects are sites.
func (w *writes) random() {
	rng := w.s.rng
	key := w.keys[rng.IntN(len(w.keys))]
	w.count++
	switch {
	case !w.present[key]:
		object := like(key)
		w.set(object)
		w.stored("create", apitest.Create(w.s.t, w.s.server, object))
		w.present[key] = true
	case rng.IntN(4) == 0:
		w.s.logf("write: delete %s", key)
		apitest.Delete(w.s.t, w.s.server, like(key))
		delete(w.present, key)
	default:
		w.stored("update", apitest.Modify(w.s.t, w.s.server, like(key), w.set))
	}
}

// set changes the content of an object.
func (w *writes) set(object *stack.ConfigMap) {
	object.Data = map[string]string{"n": strings.Repeat("x", w.count%5) + string(rune('a'+w.count%26))}
	object.Labels = map[string]string{stack.SiteLabel: "yes"}
	if w.s.rng.IntN(5) == 0 {
		object.Labels = nil
	}
}

// stored records the state of an object.
func (w *writes) stored(verb string, object stack.Object) {
	w.s.logf("write: %s %s at version %s, site: %t", verb, stack.Key(object), object.ResourceVersion, object.Labels != nil)
	w.states[object.ResourceVersion] = object
}

// like returns an object with only the name of a key.
func like(key string) stack.Object {
	namespace, name, _ := strings.Cut(key, "/")
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
