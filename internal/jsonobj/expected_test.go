package jsonobj

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// inner has the fields of a whole object's type, but is nested.
type withInner struct {
	Kind  string     `json:"kind"`
	Inner *withInner `json:"inner"`
}

type withoutKind struct {
	Size int `json:"size"`
}

// An object of another kind or group does not fit. Its length is returned, so that the
// next object can be read. Nested fields named kind and apiVersion are not compared.
func TestObjectOfAnotherKindDoesNotFit(t *testing.T) {
	d := Decoder{Expected: &Expected{Kinds: []string{"Widget", "Gadget"}, Groups: []string{"example.com", ""}}}
	for _, plan := range []*Plan{planOf[withInner](t), planOf[withoutKind](t), planOf[unstructured.Unstructured](t)} {
		for document, wrong := range map[string]string{
			`{"kind":"Widget","apiVersion":"example.com/v1"}`:                   "",
			`{"apiVersion":"v1","kind":"Gadget"}`:                               "",
			`{"kind":"","apiVersion":""}`:                                       "",
			`{"inner":{"kind":"Pod","apiVersion":"apps/v1"}}`:                   "",
			`{"x":[{"kind":"Pod"}],"kind":"Widget"}`:                            "",
			`{"kind":"Pod"}`:                                                    `an object of the kind "Pod" does not fit the kind "Widget" (ResourceInfo.Kind) at byte 8, in kind`,
			`{"size":1, "kind" : "Pod","x":[1,2]}`:                              `the kind "Pod"`,
			`{"apiVersion":"apps/v1"}`:                                          `an object of the group "apps" does not fit the group "example.com" (ResourceInfo.Group) at byte 14, in apiVersion`,
			`{"kind":"` + strings.Repeat("P", 5000) + `"}`:                      `PPP..." does not fit`,
			`{"kind":"Widget","kind":"Pod","apiVersion":"example.com/v1beta1"}`: `the kind "Pod"`,
		} {
			into := reflect.New(plan.typ).Interface()
			n, err := d.Decode(plan, []byte(document+" {}"), into)
			require.Equal(t, len(document), n, document)
			if wrong == "" {
				require.NoError(t, err, document)
				continue
			}
			require.ErrorContains(t, err, wrong, document)
			require.Less(t, len(err.Error()), 1000)
			require.IsType(t, &ValueError{}, err)
			// A prefix is only reported as short.
			_, err = d.Decode(plan, []byte(document[:len(document)-1]), reflect.New(plan.typ).Interface())
			require.Equal(t, ErrShort, err, document)
		}
	}
	require.NoError(t, d.Expected.Refuse(nil, nil))
	require.NoError(t, d.Expected.Refuse([]byte("v1"), []byte("Gadget")))
	require.EqualError(t, d.Expected.Refuse([]byte("apps/v1"), []byte("Gadget")), `an object of the group "apps" does not fit the group "example.com" (ResourceInfo.Group)`)
}
