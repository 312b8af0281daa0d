package deep

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestEqualExceptTypeMeta(t *testing.T) {
	type base struct{ metav1.TypeMeta }
	type withPointer struct{ *base }
	kind := func(k string) metav1.TypeMeta { return metav1.TypeMeta{Kind: k} }
	shared := &withPointer{&base{kind("a")}}
	for _, tc := range []struct {
		name string
		a, b any
		want bool
	}{
		{"nil", nil, nil, true},
		{"nil and a value", nil, 1, false},
		{"strings", "a", "a", true},
		{"different types", int32(1), int64(1), false},
		{"maps", map[string]any{"a": 1}, map[string]any{"a": 1}, true},
		{"pointers to strings", new(string), new(string), true},
		{"nil pointers", (*base)(nil), (*base)(nil), true},
		{"nil pointer and pointer", (*base)(nil), &base{}, false},
		{"different kinds", &base{kind("a")}, &base{kind("b")}, true},
		{"different kinds in an embedded struct", &struct{ base }{base{kind("a")}}, &struct{ base }{base{kind("b")}}, true},
		{"nil embedded pointer", &withPointer{}, &withPointer{}, true},
		{"different kinds behind an embedded pointer", shared, &withPointer{&base{kind("b")}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, EqualExceptTypeMeta(tc.a, tc.b))
		})
	}
	require.Equal(t, "a", shared.Kind, "the comparison modified an argument")
}
