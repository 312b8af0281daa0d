package pbobj

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/thinformer/thinformer/internal/intern"
)

type (
	named string
	// shape has strings wherever a Kubernetes type may have them.
	shape struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Name     named
		Pointer  *string
		Slice    []string
		Named    []named
		Map      map[string]string
		ByName   map[named]named
		Structs  map[string]part
		Lists    map[string][]string
		Amounts  map[named]resource.Quantity
		Port     intstr.IntOrString
		Since    metav1.Time
		Parts    []part
		PartsPtr []*part
		Inner    struct{ Deep [2]part }
		Next     *shape
		Any      any
		Bytes    []byte
		number   int
	}
	part struct {
		Kind string
		Of   *part
	}
)

// newShape returns a shape whose strings are allocated separately.
func newShape(depth int) *shape {
	s := func(text string) string { return strings.Clone(text) }
	quantity := resource.MustParse("100m")
	pointed := s("pointed")
	made := &shape{
		TypeMeta:   metav1.TypeMeta{Kind: s("Kind")},
		ObjectMeta: metav1.ObjectMeta{Namespace: s("ns"), UID: "uid", ResourceVersion: "7", Labels: map[string]string{s("app"): s("shop")}},
		Name:       named(s("name")), Pointer: &pointed,
		Slice: []string{s("one"), s("two")}, Named: []named{named(s("three"))},
		Map: map[string]string{s("k"): s("v"), s("l"): ""}, ByName: map[named]named{named(s("a")): named(s("b"))},
		Structs: map[string]part{s("p"): {Kind: s("q"), Of: &part{Kind: s("r")}}},
		Lists:   map[string][]string{s("m"): {s("n")}}, Amounts: map[named]resource.Quantity{named(s("cpu")): quantity},
		Port: intstr.FromString(s("http")), Since: metav1.Unix(1_700_000_000, 0),
		Parts: []part{{Kind: s("x")}, {}}, PartsPtr: []*part{nil, {Kind: s("y")}},
		Any: s("not shared"), Bytes: []byte("bytes"), number: 3,
	}
	if depth > 0 {
		made.Next = newShape(depth - 1)
	}
	return made
}

// texts returns the strings in a value, except for those in interfaces.
func texts(v reflect.Value, visit func(string)) {
	switch v.Kind() {
	case reflect.String:
		visit(v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			texts(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Name != "UID" && field.Name != "ResourceVersion" {
				texts(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), visit)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			texts(entries.Key(), visit)
			texts(entries.Value(), visit)
		}
	}
}

// Share moves all strings to the table and changes nothing else.
func TestAllStringsAreShared(t *testing.T) {
	sharer, table := NewSharer(reflect.TypeFor[shape]()), intern.New()
	for range 3 {
		object := newShape(2)
		own := map[*byte]string{}
		texts(reflect.ValueOf(object), func(text string) { own[unsafe.StringData(text)] = text })
		require.Greater(t, len(own), 60)
		sharer.Share(object, table)
		require.Equal(t, newShape(2), object)
		texts(reflect.ValueOf(object), func(text string) {
			_, same := own[unsafe.StringData(text)]
			require.False(t, same && text != "", "%q is not shared", text)
		})
	}
}

// Unique strings would evict repeated strings from the table.
func TestUniqueStringsAreNotShared(t *testing.T) {
	shared := false
	for range 10 { // a table can evict a string by chance; each table has its own hash seed
		shared = shareTwice(t, intern.New()) || shared
	}
	require.True(t, shared, "the namespaces are shared")
}

// shareTwice shares two objects and reports whether their namespaces share memory.
func shareTwice(t *testing.T, table *intern.Table) bool {
	sharer := NewSharer(reflect.TypeFor[shape]())
	var uids, versions, namespaces [2]*byte
	for i := range 2 {
		object := newShape(0)
		object.UID, object.ResourceVersion = types.UID(strings.Clone("uid")), strings.Clone("7")
		uids[i], versions[i] = unsafe.StringData(string(object.UID)), unsafe.StringData(object.ResourceVersion)
		sharer.Share(object, table)
		require.True(t, uids[i] == unsafe.StringData(string(object.UID)), "the string is not moved")
		require.True(t, versions[i] == unsafe.StringData(object.ResourceVersion), "the string is not moved")
		namespaces[i] = unsafe.StringData(object.Namespace)
	}
	require.False(t, unsafe.StringData(table.Get([]byte("uid"))) == uids[0], "the table does not have the string")
	require.False(t, unsafe.StringData(table.Get([]byte("7"))) == versions[0])
	return namespaces[0] == namespaces[1]
}

func TestNilTableSharesNothing(t *testing.T) {
	object := newShape(0)
	NewSharer(reflect.TypeFor[shape]()).Share(object, nil)
	require.Equal(t, named("name"), object.Name)
	NewSharer(reflect.TypeFor[struct{ N int }]()).Share(&struct{ N int }{1}, intern.New())
}
