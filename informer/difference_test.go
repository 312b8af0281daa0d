package informer

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
	// crate has a field of each shape, named as in JSON and in other ways.
	crate struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              crateSpec `json:"spec,omitempty"`
		NoTag             int
		Dashed            int `json:"-"`
		lid
		*grip
		hidden int
	}
	crateSpec struct {
		Replicas *int32                       `json:"replicas"`
		Parts    []cratePart                  `json:"parts"`
		ByName   map[string]*cratePart        `json:"byName"`
		ByNumber map[int][2]bool              `json:"byNumber"`
		Limits   map[string]resource.Quantity `json:"limits"`
		Any      any                          `json:"any"`
		Bytes    []byte                       `json:"bytes"`
		Ratio    float64                      `json:"ratio"`
		Wave     complex128                   `json:"wave"`
		Zone     *time.Location               `json:"zone"`
		Call     func()                       `json:"call"`
		Self     *crate                       `json:"self"`
		Until    *metav1.Time                 `json:"until"`
	}
	cratePart struct {
		Image string   `json:"image"`
		Args  []string `json:"args"`
	}
	lid  struct{ Lid string }
	grip struct {
		Handle string `json:"handle"`
	}
)

func fullCrate() *crate {
	n := int32(1)
	self := &crate{}
	self.Spec.Self = self
	return &crate{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Labels: map[string]string{"app": "web", "a.b/c": "d"}, CreationTimestamp: metav1.Now()},
		Spec: crateSpec{
			Replicas: &n,
			Parts:    []cratePart{{Image: "one", Args: []string{"-a", "-b"}}, {Image: "two"}},
			ByName:   map[string]*cratePart{"x": {Image: "three"}},
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
		lid:  lid{"shut"},
		grip: &grip{"brass"},
	}
}

// Promise: whatever is changed that others can see is found, and named as in
// JSON.
func TestChangedFieldNamesTheField(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(c *crate)
	}{
		{"kind", func(c *crate) { c.Kind = "Crate" }},
		{"metadata.name", func(c *crate) { c.Name = "d" }},
		{"metadata.labels[app]", func(c *crate) { c.Labels["app"] = "db" }},
		{"metadata.labels[a.b/c]", func(c *crate) { delete(c.Labels, "a.b/c") }},
		{"metadata.labels[new]", func(c *crate) { c.Labels["new"] = "" }},
		{"metadata.labels[new]", func(c *crate) { delete(c.Labels, "app"); c.Labels["app"], c.Labels["new"] = "web", "" }},
		{"metadata.labels", func(c *crate) { c.Labels = nil }},
		{"metadata.annotations", func(c *crate) { c.Annotations = map[string]string{} }},
		{"metadata.creationTimestamp", func(c *crate) { c.CreationTimestamp.Time = c.CreationTimestamp.Add(1) }},
		{"spec.replicas", func(c *crate) { *c.Spec.Replicas = 2 }},
		{"spec.replicas", func(c *crate) { c.Spec.Replicas = nil }},
		{"spec.parts[0].image", func(c *crate) { c.Spec.Parts[0].Image = "else" }},
		{"spec.parts[0].args[1]", func(c *crate) { c.Spec.Parts[0].Args[1] = "-c" }},
		{"spec.parts[1].args", func(c *crate) { c.Spec.Parts[1].Args = []string{} }},
		{"spec.parts", func(c *crate) { c.Spec.Parts = append(c.Spec.Parts, cratePart{}) }},
		{"spec.byName[x].image", func(c *crate) { c.Spec.ByName["x"].Image = "" }},
		{"spec.byNumber[7][1]", func(c *crate) { c.Spec.ByNumber[7] = [2]bool{true, true} }},
		{"spec.limits[cpu]", func(c *crate) { c.Spec.Limits["cpu"] = resource.MustParse("2") }},
		{"spec.any.list[0].of", func(c *crate) { c.Spec.Any.(map[string]any)["list"].([]any)[0].(map[string]any)["of"] = int64(2) }},
		{"spec.any.list[0].of", func(c *crate) { c.Spec.Any.(map[string]any)["list"].([]any)[0].(map[string]any)["of"] = 1.0 }},
		{"spec.any[not/one]", func(c *crate) { c.Spec.Any.(map[string]any)["not/one"] = nil }},
		{"spec.any", func(c *crate) { c.Spec.Any = nil }},
		{"spec.bytes[1]", func(c *crate) { c.Spec.Bytes[1] = 0 }},
		{"spec.ratio", func(c *crate) { c.Spec.Ratio = 1 }},
		{"spec.wave", func(c *crate) { c.Spec.Wave = complex(math.NaN(), 2) }},
		{"spec.zone", func(c *crate) { c.Spec.Zone = time.UTC }},
		{"spec.call", func(c *crate) { c.Spec.Call = nil }},
		{"spec.until", func(c *crate) { c.Spec.Until.Time = time.Unix(6, 0) }},
		{"NoTag", func(c *crate) { c.NoTag = 1 }},
		{"Dashed", func(c *crate) { c.Dashed = 1 }},
		{"Lid", func(c *crate) { c.Lid = "open" }},
		{"handle", func(c *crate) { c.Handle = "steel" }},
	} {
		t.Run(c.want, func(t *testing.T) {
			obj := fullCrate()
			copied := deepCopy(obj)
			path, changed := changedField(&obj, &copied)
			require.False(t, changed, "before: %s", path)
			c.change(obj)
			path, changed = changedField(&obj, &copied)
			require.True(t, changed)
			require.Equal(t, c.want, path)
		})
	}
}

// Reading may fill in what a type hides: that is no change.
func TestReadingIsNoChange(t *testing.T) {
	obj := fullCrate()
	copied := deepCopy(obj)
	limit := obj.Spec.Limits["cpu"]
	_ = limit.String()
	obj.Spec.Limits["cpu"] = limit // with its text in it
	obj.hidden++
	_, changed := changedField(&obj, &copied)
	require.False(t, changed)
}

// Content without a schema reads like fields.
func TestChangedFieldOfUnstructured(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"a.b/c": "d"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"image": "one"}}},
	}}
	copied := deepCopy(obj)
	require.NoError(t, unstructured.SetNestedField(obj.Object, "e", "metadata", "annotations", "a.b/c"))
	path, _ := changedField(&obj, &copied)
	require.Equal(t, "metadata.annotations[a.b/c]", path)

	copied = deepCopy(obj)
	obj.Object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["image"] = "two"
	path, _ = changedField(&obj, &copied)
	require.Equal(t, "spec.containers[0].image", path)
}

// What refers to itself is compared to its end.
func TestChangedFieldOfWhatRefersToItself(t *testing.T) {
	type ring struct {
		Left, Right *ring
		N           int
	}
	obj := &ring{}
	obj.Left, obj.Right = obj, &ring{Left: obj, Right: obj}
	copied := deepCopy(obj)
	_, changed := changedField(&obj, &copied)
	require.False(t, changed)
	obj.Right.N = 1
	path, changed := changedField(&obj, &copied)
	require.True(t, changed)
	require.Equal(t, "Right.N", path)
}

// What hides all that it is counts as a value; what readers lock does not.
func TestChangedFieldOfWhatHidesAll(t *testing.T) {
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
			copied := deepCopy(obj)
			path, changed := changedField(&obj, &copied)
			require.False(t, changed, "before: %s", path)
			c.change(obj)
			path, changed = changedField(&obj, &copied)
			require.Equal(t, c.want, path)
			require.Equal(t, c.want != "", changed)
		})
	}
}

// A part that takes the place of another is a change, though it has been
// compared before, with its own copy.
func TestChangedFieldOfWhatChangesPlaces(t *testing.T) {
	type ring struct {
		Self, Left, Right *ring
		N                 int
	}
	obj := &ring{Left: &ring{N: 1}, Right: &ring{N: 2}}
	obj.Self = obj
	copied := deepCopy(obj)
	obj.Right = obj.Left
	path, changed := changedField(&obj, &copied)
	require.True(t, changed)
	require.Equal(t, "Right.N", path)
}

// What is met in very many ways is compared in time.
func TestChangedFieldOfWhatIsMetInManyWays(t *testing.T) {
	type ring struct {
		Left, Right *ring
		N           int
	}
	obj := &ring{}
	bottom := obj
	for range 60 {
		obj = &ring{Left: obj, Right: obj}
	}
	copied := deepCopy(obj)
	_, changed := changedField(&obj, &copied)
	require.False(t, changed)
	bottom.N = 1
	_, changed = changedField(&obj, &copied)
	require.True(t, changed)
}
