package deep

import (
	"math"
	"math/big"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type (
	// widget has fields of all kinds, with and without JSON names.
	widget struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              widgetSpec `json:"spec,omitempty"`
		NoTag             int
		Dashed            int `json:"-"`
		cover
		*handle
		hidden int
	}
	widgetSpec struct {
		Replicas *int32                       `json:"replicas"`
		Parts    []widgetPart                 `json:"parts"`
		ByName   map[string]*widgetPart       `json:"byName"`
		ByNumber map[int][2]bool              `json:"byNumber"`
		Limits   map[string]resource.Quantity `json:"limits"`
		Any      any                          `json:"any"`
		Bytes    []byte                       `json:"bytes"`
		Ratio    float64                      `json:"ratio"`
		Wave     complex128                   `json:"wave"`
		Zone     *time.Location               `json:"zone"`
		Call     func()                       `json:"call"`
		Self     *widget                      `json:"self"`
		Until    *metav1.Time                 `json:"until"`
	}
	widgetPart struct {
		Image string   `json:"image"`
		Args  []string `json:"args"`
	}
	cover  struct{ Cover string }
	handle struct {
		Handle string `json:"handle"`
	}
)

func fullWidget() *widget {
	n := int32(1)
	self := &widget{}
	self.Spec.Self = self
	return &widget{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Labels: map[string]string{"app": "web", "a.b/c": "d"}, CreationTimestamp: metav1.Now()},
		Spec: widgetSpec{
			Replicas: &n,
			Parts:    []widgetPart{{Image: "one", Args: []string{"-a", "-b"}}, {Image: "two"}},
			ByName:   map[string]*widgetPart{"x": {Image: "three"}},
			ByNumber: map[int][2]bool{7: {true, false}},
			Limits:   map[string]resource.Quantity{"cpu": resource.MustParse("1")},
			Any:      map[string]any{"list": []any{map[string]any{"of": int64(1)}}},
			Bytes:    []byte("abc"),
			Ratio:    math.NaN(),
			Wave:     complex(math.NaN(), 1),
			Zone:     time.Local,
			Call:     func() {},
			Self:     self,
			Until:    &metav1.Time{Time: time.Unix(5, 0)},
		},
		cover:  cover{"closed"},
		handle: &handle{"brass"},
	}
}

func TestDifferenceReturnsThePathOfTheField(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(w *widget)
	}{
		{"kind", func(w *widget) { w.Kind = "Widget" }},
		{"metadata.name", func(w *widget) { w.Name = "d" }},
		{"metadata.labels[app]", func(w *widget) { w.Labels["app"] = "db" }},
		{"metadata.labels[a.b/c]", func(w *widget) { delete(w.Labels, "a.b/c") }},
		{"metadata.labels[new]", func(w *widget) { w.Labels["new"] = "" }},
		{"metadata.labels[new]", func(w *widget) { delete(w.Labels, "app"); w.Labels["app"], w.Labels["new"] = "web", "" }},
		{"metadata.labels", func(w *widget) { w.Labels = nil }},
		{"metadata.annotations", func(w *widget) { w.Annotations = map[string]string{} }},
		{"metadata.creationTimestamp", func(w *widget) { w.CreationTimestamp.Time = w.CreationTimestamp.Add(1) }},
		{"spec.replicas", func(w *widget) { *w.Spec.Replicas = 2 }},
		{"spec.replicas", func(w *widget) { w.Spec.Replicas = nil }},
		{"spec.parts[0].image", func(w *widget) { w.Spec.Parts[0].Image = "else" }},
		{"spec.parts[0].args[1]", func(w *widget) { w.Spec.Parts[0].Args[1] = "-c" }},
		{"spec.parts[1].args", func(w *widget) { w.Spec.Parts[1].Args = []string{} }},
		{"spec.parts", func(w *widget) { w.Spec.Parts = append(w.Spec.Parts, widgetPart{}) }},
		{"spec.byName[x].image", func(w *widget) { w.Spec.ByName["x"].Image = "" }},
		{"spec.byNumber[7][1]", func(w *widget) { w.Spec.ByNumber[7] = [2]bool{true, true} }},
		{"spec.limits[cpu]", func(w *widget) { w.Spec.Limits["cpu"] = resource.MustParse("2") }},
		{"spec.any.list[0].of", func(w *widget) { w.Spec.Any.(map[string]any)["list"].([]any)[0].(map[string]any)["of"] = int64(2) }},
		{"spec.any.list[0].of", func(w *widget) { w.Spec.Any.(map[string]any)["list"].([]any)[0].(map[string]any)["of"] = 1.0 }},
		{"spec.any[not/one]", func(w *widget) { w.Spec.Any.(map[string]any)["not/one"] = nil }},
		{"spec.any", func(w *widget) { w.Spec.Any = nil }},
		{"spec.bytes[1]", func(w *widget) { w.Spec.Bytes[1] = 0 }},
		{"spec.ratio", func(w *widget) { w.Spec.Ratio = 1 }},
		{"spec.wave", func(w *widget) { w.Spec.Wave = complex(math.NaN(), 2) }},
		{"spec.zone", func(w *widget) { w.Spec.Zone = time.UTC }},
		{"spec.call", func(w *widget) { w.Spec.Call = nil }},
		{"spec.until", func(w *widget) { w.Spec.Until.Time = time.Unix(6, 0) }},
		{"NoTag", func(w *widget) { w.NoTag = 1 }},
		{"Dashed", func(w *widget) { w.Dashed = 1 }},
		{"Cover", func(w *widget) { w.Cover = "open" }},
		{"handle", func(w *widget) { w.Handle = "steel" }},
	} {
		t.Run(c.want, func(t *testing.T) {
			obj := fullWidget()
			copied := Copy(obj)
			path, changed := Difference(obj, copied)
			require.False(t, changed, "before: %s", path)
			c.change(obj)
			path, changed = Difference(obj, copied)
			require.True(t, changed)
			require.Equal(t, c.want, path)
		})
	}
}

// Methods that only read may set unexported fields, such as the cached text of a
// Quantity.
func TestUnexportedFieldsAreNotCompared(t *testing.T) {
	obj := fullWidget()
	copied := Copy(obj)
	limit := obj.Spec.Limits["cpu"]
	_ = limit.String()
	obj.Spec.Limits["cpu"] = limit // with the cached text
	obj.hidden++
	_, changed := Difference(obj, copied)
	require.False(t, changed)
}

func TestDifferenceOfUnstructured(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"a.b/c": "d"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"image": "one"}}},
	}}
	copied := Copy(obj)
	require.NoError(t, unstructured.SetNestedField(obj.Object, "e", "metadata", "annotations", "a.b/c"))
	path, _ := Difference(obj, copied)
	require.Equal(t, "metadata.annotations[a.b/c]", path)

	copied = Copy(obj)
	obj.Object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["image"] = "two"
	path, _ = Difference(obj, copied)
	require.Equal(t, "spec.containers[0].image", path)
}

func TestDifferenceOfCycle(t *testing.T) {
	type node struct {
		Left, Right *node
		N           int
	}
	obj := &node{}
	obj.Left, obj.Right = obj, &node{Left: obj, Right: obj}
	copied := Copy(obj)
	_, changed := Difference(obj, copied)
	require.False(t, changed)
	obj.Right.N = 1
	path, changed := Difference(obj, copied)
	require.True(t, changed)
	require.Equal(t, "Right.N", path)
}

// A struct with only unexported fields is compared as a value; mutexes and atomic
// values are not compared.
func TestDifferenceOfStructWithOnlyUnexportedFields(t *testing.T) {
	type money struct{ cents int64 }
	type moment time.Time
	type safe struct {
		sync.Mutex
		count atomic.Int64
		Opens atomic.Int64
		Sum   *big.Int
		Share big.Rat
		Ratio *big.Float
		Price money
		Fee   *money
		Until *moment
		At    netip.Addr
		Odd   map[float64]int
	}
	until := moment(time.Unix(1, 0))
	for _, c := range []struct {
		want   string
		change func(s *safe)
	}{
		{"", func(s *safe) { s.Lock(); s.count.Add(1); s.Opens.Add(1) }},
		{"Sum", func(s *safe) { s.Sum.Add(s.Sum, s.Sum) }},
		{"Share", func(s *safe) { s.Share.Num().SetInt64(5) }},
		{"Ratio", func(s *safe) { s.Ratio.SetInt64(5) }},
		{"Price", func(s *safe) { s.Price = money{3} }},
		{"Fee", func(s *safe) { *s.Fee = money{3} }},
		{"Until", func(s *safe) { *s.Until = moment(time.Unix(2, 0)) }},
		{"At", func(s *safe) { s.At = netip.Addr{} }},
		{"Odd[1]", func(s *safe) { s.Odd[1] = 2 }},
	} {
		t.Run(c.want, func(t *testing.T) {
			obj := &safe{
				Sum: big.NewInt(1), Share: *big.NewRat(1, 3), Ratio: big.NewFloat(0.5), Price: money{1}, Fee: &money{2},
				Until: &until, At: netip.MustParseAddr("10.0.0.1"), Odd: map[float64]int{math.NaN(): 1, 1: 1},
			}
			copied := Copy(obj)
			path, changed := Difference(obj, copied)
			require.False(t, changed, "before: %s", path)
			c.change(obj)
			path, changed = Difference(obj, copied)
			require.Equal(t, c.want, path)
			require.Equal(t, c.want != "", changed)
		})
	}
}

// A reference to another node is a difference, though each node equals its copy.
func TestDifferenceOfSwappedReferences(t *testing.T) {
	type node struct {
		Self, Left, Right *node
		N                 int
	}
	obj := &node{Left: &node{N: 1}, Right: &node{N: 2}}
	obj.Self = obj
	copied := Copy(obj)
	obj.Right = obj.Left
	path, changed := Difference(obj, copied)
	require.True(t, changed)
	require.Equal(t, "Right.N", path)
}

// There are 2^60 paths to the last node. Each pair of nodes is compared once.
func TestDifferenceOfSharedReferences(t *testing.T) {
	type node struct {
		Left, Right *node
		N           int
	}
	obj := &node{}
	bottom := obj
	for range 60 {
		obj = &node{Left: obj, Right: obj}
	}
	copied := Copy(obj)
	_, changed := Difference(obj, copied)
	require.False(t, changed)
	bottom.N = 1
	_, changed = Difference(obj, copied)
	require.True(t, changed)
}
