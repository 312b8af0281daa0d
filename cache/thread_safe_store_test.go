package cache

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A ThreadSafeStore stores every object, including nil, under every key,
// including the empty one.
func TestThreadSafeStore(t *testing.T) {
	s := NewThreadSafeStore(colorAndNamespace, Indices{})
	red := newThing("x", "a", "7", "red")
	s.Add("one", red)
	s.Add("", "a string")
	s.Update("three", nil)
	keys := s.ListKeys()
	slices.Sort(keys)
	require.Equal(t, []string{"", "one", "three"}, keys)
	require.ElementsMatch(t, []any{red, "a string", nil}, s.List())
	for key, want := range map[string]any{"one": red, "": "a string", "three": nil} {
		got, exists := s.Get(key)
		require.True(t, exists)
		require.Equal(t, want, got)
	}
	_, exists := s.Get("x/a")
	require.False(t, exists)
	require.Equal(t, "7", s.LastStoreSyncResourceVersion())

	under, err := s.IndexKeys("color", "red")
	require.NoError(t, err)
	require.Equal(t, []string{"one"}, under)
	objects, err := s.ByIndex("color", "red")
	require.NoError(t, err)
	require.Equal(t, []any{red}, objects)
	objects, err = s.Index(NamespaceIndex, red)
	require.NoError(t, err)
	require.Equal(t, []any{red}, objects)
	require.NoError(t, s.AddIndexers(Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(*thing).Name}, nil }}))
	require.Equal(t, []string{"a"}, s.ListIndexFuncValues("name"))
	require.Len(t, s.GetIndexers(), 3)

	s.Delete("one")
	s.Delete("missing")
	require.Equal(t, "7", s.LastStoreSyncResourceVersion())
	s.DeleteWithObject("", newThing("", "", "8", ""))
	require.Equal(t, "8", s.LastStoreSyncResourceVersion())
	require.Equal(t, []string{"three"}, s.ListKeys())

	s.(ThreadSafeStoreWithTransaction).Transaction(
		ThreadSafeStoreTransaction{Transaction{Object: red, Type: TransactionTypeAdd}, ""},
		ThreadSafeStoreTransaction{Transaction{Object: newThing("", "b", "9", "blue"), Type: TransactionTypeUpdate}, "b"},
		ThreadSafeStoreTransaction{Transaction{Type: TransactionTypeDelete}, "three"},
		ThreadSafeStoreTransaction{Transaction{Object: red, Type: "Upsert"}, "c"},
	)
	require.ElementsMatch(t, []string{"", "b"}, s.ListKeys())
	require.Equal(t, "9", s.LastStoreSyncResourceVersion())

	s.Replace(map[string]any{"k": red}, "20")
	require.Equal(t, []any{red}, s.List())
	require.Equal(t, "20", s.LastStoreSyncResourceVersion())
	s.Bookmark("21")
	require.Equal(t, "21", s.LastStoreSyncResourceVersion())
	require.NoError(t, s.Resync())
}

// gauges is an InformerMetricsProvider that records the values of its gauges.
type gauges struct {
	noMetrics
	versions []float64
}

type noMetrics struct{ InformerMetricsProvider }

func (g *gauges) NewStoreResourceVersionMetric(InformerNameAndResource) GaugeMetric { return g }

func (g *gauges) Set(v float64) { g.versions = append(g.versions, v) }

// A store with a reserved identity reports the version that it has reached.
func TestStoreMetrics(t *testing.T) {
	name, err := NewInformerName("store-metrics")
	require.NoError(t, err)
	defer name.Release()

	var g, h, silent gauges
	ix := NewIndexer(MetaNamespaceKeyFunc, nil, WithStoreMetrics(name.WithResource(schema.GroupVersionResource{Resource: "a"}), &g))
	require.NoError(t, ix.Add(newThing("", "a", "1", "")))
	require.NoError(t, ix.Delete(newThing("", "a", "2", "")))
	require.Nil(t, ix.(TransactionStore).Transaction(Transaction{newThing("", "a", "3", ""), TransactionTypeAdd}))
	require.NoError(t, ix.Replace(nil, "4"))
	ix.Bookmark("5")
	require.Equal(t, []float64{1, 2, 3, 4, 5}, g.versions)

	s := NewThreadSafeStore(nil, nil, WithThreadSafeStoreMetrics(name.WithResource(schema.GroupVersionResource{Resource: "b"}), &h))
	s.Add("a", newThing("", "a", "1", ""))
	s.DeleteWithObject("a", newThing("", "a", "2", ""))
	s.(ThreadSafeStoreWithTransaction).Transaction(ThreadSafeStoreTransaction{Transaction{newThing("", "a", "3", ""), TransactionTypeAdd}, "a"})
	s.Replace(nil, "4")
	s.Bookmark("5")
	require.Equal(t, []float64{1, 2, 3, 4, 5}, h.versions)

	require.NoError(t, NewStore(MetaNamespaceKeyFunc, WithStoreMetrics(InformerNameAndResource{}, &silent)).Add(newThing("", "a", "1", "")))
	require.Empty(t, silent.versions)
}
