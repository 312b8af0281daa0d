package informer_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
)

type machine struct {
	metav1.ObjectMeta
	Zone  string
	Fans  map[string]int // revolutions per minute
	Phase string
}

// A handler receives only the machines of one zone.
func ExampleFilteringResourceEventHandler() {
	var h informer.ResourceEventHandler[*machine] = informer.FilteringResourceEventHandler[*machine]{
		FilterFunc: func(m *machine) bool { return m.Zone == "a" },
		Handler: informer.ResourceEventHandlerFuncs[*machine]{
			AddFunc:    func(m *machine, _ bool) { fmt.Println("add:", m.Name) },
			DeleteFunc: func(m *machine, _ bool) { fmt.Println("delete:", m.Name) },
		},
	}

	one := &machine{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Zone: "b"}
	moved := informer.Clone(one)
	moved.Zone = "a"

	h.OnAdd(one, true)
	h.OnUpdate(one, moved)
	h.OnUpdate(moved, one)
	h.OnDelete(one, false)
	// Output:
	// add: one
	// delete: one
}

// Fan speeds change all the time, and the phase rarely.
func ExampleChanged() {
	var all informer.ResourceEventHandler[*machine] = informer.ResourceEventHandlerFuncs[*machine]{
		UpdateFunc: func(before, now *machine) { fmt.Println(before.Phase, "to", now.Phase) },
	}
	h := informer.Changed(func(m *machine) string { return m.Phase }, all)

	starting := &machine{Phase: "starting", Fans: map[string]int{"left": 900}}
	faster := &machine{Phase: "starting", Fans: map[string]int{"left": 1400}}
	running := &machine{Phase: "running", Fans: map[string]int{"left": 1200}}
	h.OnUpdate(starting, faster)
	h.OnUpdate(faster, running)
	// Output: starting to running
}

// Objects of an informer are shared. A clone is not.
func ExampleClone() {
	cached := &machine{Fans: map[string]int{"left": 900}}

	clone := informer.Clone(cached)
	clone.Fans["left"] = 0

	fmt.Println(cached.Fans["left"], clone.Fans["left"])
	// Output: 900 0
}
