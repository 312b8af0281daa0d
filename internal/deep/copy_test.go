package deep

import (
	"math/big"
	"net/netip"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// gadget has fields of all kinds.
type gadget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Replicas  *int32
	Twice     **int32
	Ports     []port
	Matrix    [][]string
	Bytes     []byte
	Pair      [2]*int
	ByName    map[string]*port
	Nested    map[string][]string
	Any       any
	More      []any
	When      metav1.Time
	Deadline  *metav1.MicroTime
	Limit     resource.Quantity
	Limits    map[string]resource.Quantity
	Target    intstr.IntOrString
	Selector  *metav1.LabelSelector
	Free      map[string]any
	Raw       runtime.RawExtension
	Self      *gadget
	Zone      *time.Location
	Call      func()
	inner     // its exported field is visible
	*innerPtr // its exported field is visible
	hidden    map[string]int
}

type (
	port     struct{ Names []string }
	inner    struct{ Inner []string }
	innerPtr struct{ InnerPtr []string }
)

func fullGadget() *gadget {
	n, k := int32(3), 4
	np := &n
	limit := resource.MustParse("0.1")
	limit.Add(resource.MustParse("1e-12")) // does not fit into an int64
	return &gadget{
		TypeMeta:   metav1.TypeMeta{Kind: "Gadget"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": "web"}, Finalizers: []string{"f"}, OwnerReferences: []metav1.OwnerReference{{Name: "o", Controller: new(bool)}}},
		Replicas:   &n,
		Twice:      &np,
		Ports:      []port{{Names: []string{"http"}}},
		Matrix:     [][]string{{"a"}, {}, nil},
		Bytes:      []byte("bytes"),
		Pair:       [2]*int{&k, nil},
		ByName:     map[string]*port{"x": {Names: []string{"y"}}, "nil": nil},
		Nested:     map[string][]string{"a": {"b"}},
		Any:        map[string]any{"list": []any{int64(1), "a", 1.5, true, nil}},
		More:       []any{&port{Names: []string{"any"}}, port{Names: []string{"value"}}, (*port)(nil)},
		When:       metav1.Now(),
		Deadline:   &metav1.MicroTime{Time: time.Unix(1, 2)},
		Limit:      limit,
		Limits:     map[string]resource.Quantity{"cpu": limit},
		Target:     intstr.FromString("http"),
		Selector:   &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
		Free:       map[string]any{"a": []any{"b"}},
		Raw:        runtime.RawExtension{Raw: []byte("{}"), Object: &unstructured.Unstructured{Object: map[string]any{"a": "b"}}},
		Self:       &gadget{Bytes: []byte{}},
		inner:      inner{Inner: []string{"i"}},
		innerPtr:   &innerPtr{InnerPtr: []string{"p"}},
	}
}

func TestCopySharesNoState(t *testing.T) {
	original := fullGadget()
	clone := Copy(original)
	require.Equal(t, fullGadget().ByName, clone.ByName)
	clone.When, original.When = metav1.Time{}, metav1.Time{}
	require.Equal(t, original, clone)
	requireNothingShared(t, "", reflect.ValueOf(original), reflect.ValueOf(clone))

	clone.Limit.Add(resource.MustParse("1e-12"))
	require.NotEqual(t, original.Limit.String(), clone.Limit.String())
	want := fullGadget()
	require.Zero(t, original.Limit.Cmp(want.Limit), "adding to the copy changed the original")
}

// requireNothingShared checks that no visible field of a and b refers to the same
// memory. It does not use the copier's code.
func requireNothingShared(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || a.Kind() != reflect.Pointer && a.Len() == 0 {
			return
		}
		require.NotEqual(t, a.UnsafePointer(), b.UnsafePointer(), "%s is shared", path)
	}
	switch a.Kind() {
	case reflect.Pointer:
		requireNothingShared(t, path, a.Elem(), b.Elem())
	case reflect.Interface:
		if !a.IsNil() {
			requireNothingShared(t, path, a.Elem(), b.Elem())
		}
	case reflect.Map:
		for _, key := range a.MapKeys() {
			requireNothingShared(t, path+"["+key.String()+"]", a.MapIndex(key), b.MapIndex(key))
		}
	case reflect.Slice, reflect.Array:
		for i := range a.Len() {
			requireNothingShared(t, path+"[]", a.Index(i), b.Index(i))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if field := a.Type().Field(i); field.IsExported() || field.Anonymous {
				requireNothingShared(t, path+"."+field.Name, a.Field(i), b.Field(i))
			}
		}
	}
}

// The state that the documentation of Copy excludes is shared.
func TestCopySharesUnexportedState(t *testing.T) {
	called := 0
	original := &gadget{Zone: time.Local, Call: func() { called++ }, hidden: map[string]int{"a": 1}}
	clone := Copy(original)
	require.Same(t, time.Local, clone.Zone, "a struct with only unexported fields")
	clone.Call()
	require.Equal(t, 1, called)
	clone.hidden["a"] = 2
	require.Equal(t, 2, original.hidden["a"], "an unexported field is copied by assignment")
}

func TestCopyOfNilIsNil(t *testing.T) {
	require.Nil(t, Copy[*gadget](nil))
	require.Nil(t, Copy[any](nil))
	require.Nil(t, Copy[map[string]int](nil))
	require.Nil(t, Copy[[]int](nil))
	clone := Copy(&gadget{Ports: []port{}, Nested: map[string][]string{}})
	require.NotNil(t, clone.Ports, "the copy of an empty slice is nil")
	require.NotNil(t, clone.Nested)
	require.Nil(t, clone.Labels)
}

func TestCopyOfNonPointer(t *testing.T) {
	list := []*port{{Names: []string{"a"}}}
	clone := Copy(list)
	require.Equal(t, list, clone)
	requireNothingShared(t, "", reflect.ValueOf(list), reflect.ValueOf(clone))
	require.Equal(t, 5, Copy(5))
	boxed := Copy[any](port{Names: []string{"a"}})
	require.Equal(t, port{Names: []string{"a"}}, boxed)
	one := resource.MustParse("1")
	two := Copy(one)
	two.Add(one)
	require.Equal(t, "1", one.String())
}

// node refers to other nodes in all ways.
type node struct {
	Left, Right *node
	Many        []*node
	ByName      map[string]*node
	Any         any
}

func TestCopyOfCycleIsCycle(t *testing.T) {
	original := &node{ByName: map[string]*node{}}
	original.Left, original.Right, original.Many, original.Any = original, original, []*node{original}, original
	original.ByName["self"] = original
	clone := Copy(original)
	require.NotSame(t, original, clone)
	require.True(t, clone.Left == clone && clone.Right == clone && clone.Many[0] == clone && clone.ByName["self"] == clone && clone.Any == clone)

	slice := []any{nil}
	slice[0] = slice
	sliceClone := Copy(slice)
	require.NotSame(t, &slice[0], &sliceClone[0])
	require.Same(t, &sliceClone[0], &sliceClone[0].([]any)[0])

	mapping := map[string]any{}
	mapping["self"] = mapping
	mapClone := Copy(mapping)
	mapClone["new"] = true
	require.NotContains(t, mapping, "new")
	require.Contains(t, mapClone["self"], "new")

	deep := &node{}
	for range 10_000 {
		deep = &node{Left: deep}
	}
	length := 0
	for at := Copy(deep); at != nil; at = at.Left {
		length++
	}
	require.Equal(t, 10_001, length)
}

func BenchmarkCopy(b *testing.B) {
	original := fullGadget()
	b.ReportAllocs()
	for b.Loop() {
		Copy(original)
	}
}

type (
	// money has only unexported fields. moment is derived from time.Time.
	money  struct{ cents int64 }
	moment time.Time
	// opaqueFields has fields without visible content.
	opaqueFields struct {
		sync.RWMutex
		Sum        *big.Int
		Share      big.Rat
		Ratio      *big.Float
		Any        any
		Price      *money
		Opened     *moment
		Lock       *sync.Mutex
		mu         sync.Mutex
		ByPointer  map[*money]*money
		Address    netip.Addr
		AddressPtr *netip.Addr
	}
)

func TestCopyOfStructWithOnlyUnexportedFields(t *testing.T) {
	opened, address, key := moment(time.Unix(1, 0)), netip.MustParseAddr("fe80::1%eth0"), &money{7}
	full := func() *opaqueFields {
		return &opaqueFields{
			Sum: big.NewInt(1000), Share: *big.NewRat(1, 3), Ratio: big.NewFloat(0.5), Any: big.NewInt(5),
			Price: &money{100}, Opened: &opened, Lock: &sync.Mutex{},
			ByPointer: map[*money]*money{key: {8}}, Address: address, AddressPtr: &address,
		}
	}
	original := full()
	clone := Copy(original)
	require.Equal(t, full(), clone)
	require.NotSame(t, original.Lock, clone.Lock)

	clone.Sum.Lsh(clone.Sum.Sub(clone.Sum, big.NewInt(1)), 1)
	clone.Share.Num().Add(clone.Share.Num(), big.NewInt(1))
	clone.Ratio.Add(clone.Ratio, clone.Ratio)
	clone.Any.(*big.Int).Add(big.NewInt(1), big.NewInt(1))
	*clone.Price, *clone.Opened, *clone.AddressPtr = money{1}, moment{}, netip.Addr{}
	*clone.ByPointer[key] = money{9}
	require.Equal(t, full(), original)
}

func TestCopyOfMutexIsUnlocked(t *testing.T) {
	original := &opaqueFields{Lock: &sync.Mutex{}}
	original.Lock.Lock()
	original.mu.Lock()
	original.RLock()
	clone := Copy(original)
	require.True(t, clone.TryLock())
	require.True(t, clone.mu.TryLock())
	require.True(t, clone.Lock.TryLock())
	require.False(t, original.mu.TryLock())
}

// There are 2^60 paths to the last node. Each node is copied once.
func TestCopyOfSharedReferences(t *testing.T) {
	top := &node{}
	for range 60 {
		top = &node{Left: top, Right: top}
	}
	clone := Copy(top)
	require.NotSame(t, top, clone)
	require.Same(t, clone.Left, clone.Right)
	length := 0
	for at := clone; at != nil; at = at.Left {
		length++
	}
	require.Equal(t, 61, length)
}
