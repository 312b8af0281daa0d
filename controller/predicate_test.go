package controller_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
)

func TestPredicates(t *testing.T) {
	meta := func(change func(*configMap)) *configMap {
		obj := newMap("a")
		obj.Generation, obj.Labels, obj.Annotations = 1, map[string]string{"a": "b"}, map[string]string{"a": "b"}
		change(obj)
		return obj
	}
	same := meta(func(*configMap) {})
	changes := map[string]*configMap{
		"nothing":         meta(func(*configMap) {}),
		"generation":      meta(func(o *configMap) { o.Generation = 2 }),
		"a label's value": meta(func(o *configMap) { o.Labels["a"] = "c" }),
		"a label came":    meta(func(o *configMap) { o.Labels["b"] = "" }),
		"labels went":     meta(func(o *configMap) { o.Labels = nil }),
		"an annotation":   meta(func(o *configMap) { o.Annotations["a"] = "c" }),
		"data":            meta(func(o *configMap) { o.Data = map[string]string{"x": "y"} }),
	}
	never := func(_, _ *configMap) bool { return false }
	for name, c := range map[string]struct {
		predicate controller.Predicate[*configMap]
		agrees    []string
	}{
		"GenerationChanged": {controller.GenerationChanged[*configMap], []string{"generation"}},
		"LabelChanged":      {controller.LabelChanged[*configMap], []string{"a label's value", "a label came", "labels went"}},
		"AnnotationChanged": {controller.AnnotationChanged[*configMap], []string{"an annotation"}},
		"Changed":           {controller.Changed(func(o *configMap) string { return o.Data["x"] }), []string{"data"}},
		"Or":                {controller.Or(never, controller.GenerationChanged, controller.AnnotationChanged), []string{"generation", "an annotation"}},
		"Or of none":        {controller.Or[*configMap](), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var agrees []string
			for what, obj := range changes {
				if c.predicate(same, obj) {
					agrees = append(agrees, what)
				}
			}
			require.ElementsMatch(t, c.agrees, agrees)
		})
	}
}

// A struct of several values is one projection.
func ExampleChanged() {
	type wanted struct{ color, size string }
	changed := controller.Changed(func(o *configMap) wanted { return wanted{o.Data["color"], o.Data["size"]} })
	state := func(data map[string]string) *configMap {
		return &configMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: data}
	}

	red := state(map[string]string{"color": "red", "seen": "1"})
	fmt.Println(changed(red, state(map[string]string{"color": "red", "seen": "2"})))
	fmt.Println(changed(red, state(map[string]string{"color": "blue", "seen": "2"})))
	// Output:
	// false
	// true
}

// What was asked for has changed, or somebody wants it looked at.
func ExampleOr() {
	worthIt := controller.Or(controller.GenerationChanged[*configMap], controller.AnnotationChanged)

	old, new := &configMap{}, &configMap{}
	fmt.Println(worthIt(old, new))
	new.Annotations = map[string]string{"example.com/look": "again"}
	fmt.Println(worthIt(old, new))
	// Output:
	// false
	// true
}
