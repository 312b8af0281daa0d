package informer_test

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

	"github.com/thinformer/thinformer/informer"
)

// gadget has no generated code, and a field of each shape.
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
	inner     // its exported field can be seen
	*innerPtr // and so can this one's
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
	limit.Add(resource.MustParse("1e-12")) // a number that needs more than an int64
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

// Promise: the copy is equal and shares nothing that could be changed.
func TestCloneSharesNothing(t *testing.T) {
	original := fullGadget()
	clone := informer.Clone(original)
	require.Equal(t, fullGadget().ByName, clone.ByName)
	clone.When, original.When = metav1.Time{}, metav1.Time{}
	require.Equal(t, original, clone)
	requireNothingShared(t, "", reflect.ValueOf(original), reflect.ValueOf(clone))

	clone.Limit.Add(resource.MustParse("1e-12"))
	require.NotEqual(t, original.Limit.String(), clone.Limit.String())
	want := fullGadget()
	require.Zero(t, original.Limit.Cmp(want.Limit), "a sum of the copy is not the original's")
}

// requireNothingShared looks at all that can be seen from outside, a second
// opinion on what the copier did.
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

// Promise: what the documentation says is shared is.
func TestWhatCloneLeavesAsItIs(t *testing.T) {
	called := 0
	original := &gadget{Zone: time.Local, Call: func() { called++ }, hidden: map[string]int{"a": 1}}
	clone := informer.Clone(original)
	require.Same(t, time.Local, clone.Zone, "an opaque struct")
	clone.Call()
	require.Equal(t, 1, called)
	clone.hidden["a"] = 2
	require.Equal(t, 2, original.hidden["a"], "what a type hides is assigned")
}

func TestCloneOfNilIsNil(t *testing.T) {
	require.Nil(t, informer.Clone[*gadget](nil))
	require.Nil(t, informer.Clone[*careful](nil))
	require.Nil(t, informer.Clone[any](nil))
	require.Nil(t, informer.Clone[map[string]int](nil))
	require.Nil(t, informer.Clone[[]int](nil))
	clone := informer.Clone(&gadget{Ports: []port{}, Nested: map[string][]string{}})
	require.NotNil(t, clone.Ports, "empty is not nil")
	require.NotNil(t, clone.Nested)
	require.Nil(t, clone.Labels)
}

func TestCloneOfWhatIsNoPointer(t *testing.T) {
	list := []*port{{Names: []string{"a"}}}
	clone := informer.Clone(list)
	require.Equal(t, list, clone)
	requireNothingShared(t, "", reflect.ValueOf(list), reflect.ValueOf(clone))
	require.Equal(t, 5, informer.Clone(5))
	boxed := informer.Clone[any](port{Names: []string{"a"}})
	require.Equal(t, port{Names: []string{"a"}}, boxed)
	one := resource.MustParse("1")
	two := informer.Clone(one)
	two.Add(one)
	require.Equal(t, "1", one.String())
}

// careful has a deep copy of its own, which says that it was asked.
type careful struct {
	metav1.ObjectMeta
	Copied bool
}

func (c *careful) DeepCopy() *careful {
	return &careful{ObjectMeta: *c.ObjectMeta.DeepCopy(), Copied: true}
}

// legacy has only what runtime.Object asks for.
type legacy struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Copied bool
}

func (l *legacy) DeepCopyObject() runtime.Object {
	return &legacy{ObjectMeta: *l.ObjectMeta.DeepCopy(), Copied: true}
}

type (
	// extended and around have a DeepCopyObject, and DeepCopy, of another type.
	extended struct {
		metav1.PartialObjectMetadata
		More []string
	}
	around struct {
		metav1.ObjectMeta
		runtime.Object
		More []string
	}
	// generic lends a DeepCopy that returns the very type around it.
	generic[T any] struct{ Of T }
	lentAll        struct {
		generic[*lentAll]
		metav1.ObjectMeta
		More []string
	}
)

func (g *generic[T]) DeepCopy() T { panic("this copies a field, and not what is around it") }

// Promise: T's own deep copy is used, and one that it was lent is not.
func TestCloneUsesTheTypesOwnDeepCopy(t *testing.T) {
	require.True(t, informer.Clone(&careful{}).Copied)
	require.True(t, informer.Clone(&legacy{}).Copied)
	require.True(t, informer.Clone[runtime.Object](&legacy{}).(*legacy).Copied)

	more := []string{"more"}
	meta := metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}
	for _, original := range []any{
		&extended{metav1.PartialObjectMetadata{ObjectMeta: meta}, more},
		&around{meta, nil, more},
		&around{meta, &legacy{ObjectMeta: meta}, more},
		&lentAll{generic[*lentAll]{}, meta, more},
		&metav1.PartialObjectMetadata{ObjectMeta: meta},
		&unstructured.Unstructured{Object: map[string]any{"a": []any{"b"}}},
	} {
		clone := informer.Clone(original)
		require.Equal(t, original, clone)
		requireNothingShared(t, "", reflect.ValueOf(original), reflect.ValueOf(clone))
	}
	wrapped := &extended{metav1.PartialObjectMetadata{}, more}
	require.IsType(t, wrapped, informer.Clone[runtime.Object](wrapped))
	lent := &lentAll{More: more}
	require.Equal(t, lent, informer.Clone(lent))
}

type knot struct {
	Left, Right *knot
	Many        []*knot
	ByName      map[string]*knot
	Any         any
}

// Promise: what refers to itself is copied into what refers to itself.
func TestCloneOfWhatRefersToItself(t *testing.T) {
	original := &knot{ByName: map[string]*knot{}}
	original.Left, original.Right, original.Many, original.Any = original, original, []*knot{original}, original
	original.ByName["me"] = original
	clone := informer.Clone(original)
	require.NotSame(t, original, clone)
	require.True(t, clone.Left == clone && clone.Right == clone && clone.Many[0] == clone && clone.ByName["me"] == clone && clone.Any == clone)

	slice := []any{nil}
	slice[0] = slice
	sliceClone := informer.Clone(slice)
	require.NotSame(t, &slice[0], &sliceClone[0])
	require.Same(t, &sliceClone[0], &sliceClone[0].([]any)[0])

	mapping := map[string]any{}
	mapping["me"] = mapping
	mapClone := informer.Clone(mapping)
	mapClone["new"] = true
	require.NotContains(t, mapping, "new")
	require.Contains(t, mapClone["me"], "new")

	deep := &knot{}
	for range 10_000 {
		deep = &knot{Left: deep}
	}
	length := 0
	for at := informer.Clone(deep); at != nil; at = at.Left {
		length++
	}
	require.Equal(t, 10_001, length)
}

func BenchmarkClone(b *testing.B) {
	original := fullGadget()
	b.ReportAllocs()
	for b.Loop() {
		informer.Clone(original)
	}
}

// money hides all that it is, as do many types that are values. moment is one
// that time.Time is made into.
type (
	money  struct{ cents int64 }
	moment time.Time
	// vault has what is hard to copy.
	vault struct {
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

// Promise: values that hide what they are made of are the copy's own.
func TestCloneOfWhatHidesAll(t *testing.T) {
	opened, address, key := moment(time.Unix(1, 0)), netip.MustParseAddr("fe80::1%eth0"), &money{7}
	full := func() *vault {
		return &vault{
			Sum: big.NewInt(1000), Share: *big.NewRat(1, 3), Ratio: big.NewFloat(0.5), Any: big.NewInt(5),
			Price: &money{100}, Opened: &opened, Lock: &sync.Mutex{},
			ByPointer: map[*money]*money{key: {8}}, Address: address, AddressPtr: &address,
		}
	}
	original := full()
	clone := informer.Clone(original)
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

// Promise: the copy of what is locked is not.
func TestCloneIsNotLocked(t *testing.T) {
	original := &vault{Lock: &sync.Mutex{}}
	original.Lock.Lock()
	original.mu.Lock()
	original.RLock()
	clone := informer.Clone(original)
	require.True(t, clone.TryLock())
	require.True(t, clone.mu.TryLock())
	require.True(t, clone.Lock.TryLock())
	require.False(t, original.mu.TryLock())
}

// Promise: one thing that is met in very many ways is not copied once for each.
func TestCloneOfWhatIsMetInManyWays(t *testing.T) {
	top := &knot{}
	for range 60 {
		top = &knot{Left: top, Right: top}
	}
	clone := informer.Clone(top)
	require.NotSame(t, top, clone)
	require.Same(t, clone.Left, clone.Right)
	length := 0
	for at := clone; at != nil; at = at.Left {
		length++
	}
	require.Equal(t, 61, length)
}
