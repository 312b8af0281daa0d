package deep

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMutationCheckReportsWhereAnObjectWasModified(t *testing.T) {
	type pod struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}
	obj := &pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": "shop"}}}
	typed, untyped := NewMutationCheck(obj), NewMutationCheck(any(obj))
	if typed.Object() != obj || untyped.Object() != any(obj) {
		t.Error("Object returned a copy")
	}
	if field, changed := typed.Changed(); changed {
		t.Errorf("Changed reports %q for an unmodified object", field)
	}
	obj.Labels["app"] = "other"
	for _, changed := range []func() (string, bool){typed.Changed, untyped.Changed} {
		if field, changed := changed(); !changed || field != "metadata.labels[app]" {
			t.Errorf("Changed returned %q, %v; want metadata.labels[app], true", field, changed)
		}
	}
}
