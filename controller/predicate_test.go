package controller_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
)

// Each predicate returns true for exactly its kind of change.
func TestPredicates(t *testing.T) {
	meta := func(change func(*configMap)) *configMap {
		obj := newMap("a")
		obj.Generation, obj.Labels, obj.Annotations = 1, map[string]string{"a": "b"}, map[string]string{"a": "b"}
		change(obj)
		return obj
	}
	same := meta(func(*configMap) {})
	changes := map[string]*configMap{
		"nothing":        meta(func(*configMap) {}),
		"generation":     meta(func(o *configMap) { o.Generation = 2 }),
		"label value":    meta(func(o *configMap) { o.Labels["a"] = "c" }),
		"label added":    meta(func(o *configMap) { o.Labels["b"] = "" }),
		"labels removed": meta(func(o *configMap) { o.Labels = nil }),
		"annotation":     meta(func(o *configMap) { o.Annotations["a"] = "c" }),
		"data":           meta(func(o *configMap) { o.Data = map[string]string{"x": "y"} }),
	}
	alwaysFalse := func(_, _ *configMap) bool { return false }
	for name, c := range map[string]struct {
		predicate controller.Predicate[*configMap]
		matches   []string
	}{
		"GenerationChanged": {controller.GenerationChanged[*configMap], []string{"generation"}},
		"LabelChanged":      {controller.LabelChanged[*configMap], []string{"label value", "label added", "labels removed"}},
		"AnnotationChanged": {controller.AnnotationChanged[*configMap], []string{"annotation"}},
		"Changed":           {controller.Changed(func(o *configMap) string { return o.Data["x"] }), []string{"data"}},
		"Or":                {controller.Or(alwaysFalse, controller.GenerationChanged, controller.AnnotationChanged), []string{"generation", "annotation"}},
		"Or of none":        {controller.Or[*configMap](), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var matches []string
			for change, obj := range changes {
				if c.predicate(same, obj) {
					matches = append(matches, change)
				}
			}
			require.ElementsMatch(t, c.matches, matches)
		})
	}
}

// To compare several values, return a struct of them.
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

// An update is reconciled if the spec or an annotation has changed.
func ExampleOr() {
	changed := controller.Or(controller.GenerationChanged[*configMap], controller.AnnotationChanged)

	old, new := &configMap{}, &configMap{}
	fmt.Println(changed(old, new))
	new.Annotations = map[string]string{"example.com/restart": "true"}
	fmt.Println(changed(old, new))
	// Output:
	// false
	// true
}
