package cache

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/indexer"
)

var (
	storeSeed  = flag.Uint64("store.seed", 0, "run the model test of stores with this seed only")
	storeSeeds = flag.Int("store.seeds", 60, "how many seeds the model test of stores runs")
)

// referenceStore is a store in a map. Every query examines all objects.
type referenceStore struct {
	objects  map[string]*thing
	indexers Indexers
	version  int
}

func (s *referenceStore) write(deleted bool, t *thing) {
	if s.objects[must(MetaNamespaceKeyFunc(t))] = t; deleted {
		delete(s.objects, must(MetaNamespaceKeyFunc(t)))
	}
	s.version = max(s.version, number(t))
}

// keys returns the keys of the objects with any of the values in an index.
func (s *referenceStore) keys(index string, values ...string) []string {
	keys := []string{}
	for key, t := range s.objects {
		if under, _ := s.indexers[index](t); slices.ContainsFunc(under, func(v string) bool { return slices.Contains(values, v) }) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func must[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}

func number(t *thing) (n int) {
	_, _ = fmt.Sscan(t.ResourceVersion, &n)
	return n
}

func sortedKeys(objects []any) []string {
	keys := make([]string, 0, len(objects))
	for _, obj := range objects {
		keys = append(keys, must(MetaNamespaceKeyFunc(obj)))
	}
	slices.Sort(keys)
	return keys
}

// modelIndexers return one value per object, no value for some objects, or
// several.
var modelIndexers = Indexers{
	NamespaceIndex: MetaNamespaceIndexFunc,
	"color": func(obj any) ([]string, error) {
		if obj.(*thing).color == "none" {
			return nil, nil
		}
		return []string{obj.(*thing).color}, nil
	},
	"letters": func(obj any) ([]string, error) { return strings.Split(obj.(*thing).color, ""), nil },
}

// storeModelTest applies the writes of one seed to a store and its reference.
type storeModelTest struct {
	*rand.Rand
	t         *testing.T
	real      Indexer
	reference *referenceStore
}

func (m *storeModelTest) thing() *thing {
	pick := func(choices ...string) string { return choices[m.IntN(len(choices))] }
	t := newThing(pick("", "x", "y"), pick("a", "b", "c", "d", "e"), fmt.Sprint(1+m.IntN(200)), pick("red", "blue", "none", "green"))
	t.Labels = map[string]string{"app": pick("web", "db")}
	return t
}

func (m *storeModelTest) step() {
	t := m.thing()
	switch m.IntN(10) {
	case 0, 1, 2:
		require.NoError(m.t, m.real.Add(t))
		m.reference.write(false, t)
	case 3, 4:
		require.NoError(m.t, m.real.Update(t))
		m.reference.write(false, t)
	case 5, 6:
		require.NoError(m.t, m.real.Delete(t))
		m.reference.write(true, t)
	case 7:
		m.transaction()
	case 8:
		m.replace()
	default:
		m.addIndexers()
	}
}

func (m *storeModelTest) transaction() {
	var txns []Transaction
	for range m.IntN(5) {
		txn := Transaction{Object: m.thing(), Type: []TransactionType{TransactionTypeAdd, TransactionTypeUpdate, TransactionTypeDelete}[m.IntN(3)]}
		txns = append(txns, txn)
		m.reference.write(txn.Type == TransactionTypeDelete, txn.Object.(*thing))
	}
	require.Nil(m.t, m.real.(TransactionStore).Transaction(txns...))
}

func (m *storeModelTest) replace() {
	var list []any
	m.reference.objects = map[string]*thing{}
	for range m.IntN(12) {
		t := m.thing()
		list = append(list, t)
		m.reference.write(false, t)
	}
	m.reference.version = 1 + m.IntN(200) // it may be older
	require.NoError(m.t, m.real.Replace(list, fmt.Sprint(m.reference.version)))
}

func (m *storeModelTest) addIndexers() {
	added := Indexers{}
	taken := false
	for name, f := range modelIndexers {
		if m.IntN(3) == 0 {
			added[name] = f
			taken = taken || m.reference.indexers[name] != nil
		}
	}
	err := m.real.AddIndexers(added)
	if taken {
		require.Error(m.t, err)
		return
	}
	require.NoError(m.t, err)
	maps.Copy(m.reference.indexers, added)
}

// compare compares the results of all queries.
func (m *storeModelTest) compare() {
	t, w := m.t, m.reference
	keys := slices.Sorted(maps.Keys(w.objects))
	require.Equal(t, len(keys), len(m.real.ListKeys()))
	require.Subset(t, m.real.ListKeys(), keys)
	require.Equal(t, len(keys), len(m.real.List()))
	require.Equal(t, len(w.indexers), len(m.real.GetIndexers()))
	if w.version > 0 {
		require.Equal(t, fmt.Sprint(w.version), m.real.LastStoreSyncResourceVersion())
	}
	for _, key := range []string{"x/a", "y/b", "c", "z/a"} {
		item, exists, err := m.real.GetByKey(key)
		require.NoError(t, err)
		require.Equal(t, w.objects[key] != nil, exists)
		if exists {
			require.Same(t, w.objects[key], item)
			got, _, _ := m.real.Get(item)
			require.Same(t, item, got)
		}
	}
	for _, selector := range []string{"", "app=web", "app in (web,db)", "!app"} {
		for _, namespace := range []string{"", "x"} {
			m.compareList(namespace, selector)
		}
	}
	for name := range modelIndexers {
		m.compareIndex(name)
	}
}

func (m *storeModelTest) compareList(namespace, text string) {
	selector := must(labels.Parse(text))
	var listed []any
	require.NoError(m.t, ListAllByNamespace(m.real, namespace, selector, func(obj any) { listed = append(listed, obj) }))
	want := []string{}
	for key, t := range m.reference.objects {
		if (namespace == "" || t.Namespace == namespace) && selector.Matches(labels.Set(t.Labels)) {
			want = append(want, key)
		}
	}
	slices.Sort(want)
	require.Equal(m.t, want, sortedKeys(listed))
}

func (m *storeModelTest) compareIndex(name string) {
	if m.reference.indexers[name] == nil {
		_, err := m.real.ByIndex(name, "red")
		require.Error(m.t, err)
		require.Empty(m.t, m.real.ListIndexFuncValues(name))
		return
	}
	for _, value := range []string{"", "x", "red", "blue", "none", "e", "r"} {
		want := m.reference.keys(name, value)
		require.Equal(m.t, want, sortedKeys(must(m.real.ByIndex(name, value))))
		require.Equal(m.t, want, must(m.real.IndexKeys(name, value)))
		require.Equal(m.t, len(want) > 0, slices.Contains(m.real.ListIndexFuncValues(name), value))
	}
	like := m.thing()
	require.Equal(m.t, m.reference.keys(name, must(m.reference.indexers[name](like))...), sortedKeys(must(m.real.Index(name, like))))
}

// After any sequence of writes, a store returns the same results as the
// reference.
func TestStoreModel(t *testing.T) {
	seeds := *storeSeeds
	first := uint64(1)
	if *storeSeed != 0 {
		first, seeds = *storeSeed, 1
	}
	for seed := first; seed < first+uint64(seeds); seed++ {
		for name, real := range map[string]Indexer{
			"NewIndexer": NewIndexer(MetaNamespaceKeyFunc, nil),
			"IndexerOf":  IndexerOf(indexer.New(indexer.Options[*thing]{})),
		} {
			t.Run(fmt.Sprintf("%s/-store.seed=%d", name, seed), func(t *testing.T) {
				g := &storeModelTest{Rand: rand.New(rand.NewPCG(seed, 0)), t: t, real: real, reference: &referenceStore{objects: map[string]*thing{}, indexers: Indexers{}}}
				for range 60 {
					g.step()
					g.compare()
				}
			})
		}
	}
}

// With concurrent writers and new indexes, each result is from one version of
// the store: an indexed object has the value, and is returned once.
func TestStoreConcurrency(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, Indexers{"color": modelIndexers["color"]})
	var writers, readers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			g := &storeModelTest{Rand: rand.New(rand.NewPCG(uint64(w), 1))}
			for i := range 400 {
				switch g.IntN(8) {
				case 0:
					_ = ix.Delete(g.thing())
				case 1:
					_ = ix.Replace([]any{g.thing(), g.thing(), g.thing()}, fmt.Sprint(i))
				case 2:
					_ = ix.(TransactionStore).Transaction(Transaction{g.thing(), TransactionTypeAdd}, Transaction{g.thing(), TransactionTypeDelete})
				case 3:
					_ = ix.AddIndexers(Indexers{fmt.Sprintf("of-%d-%d", w, i%5): modelIndexers["letters"]})
				default:
					_ = ix.Update(g.thing())
				}
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				red, err := ix.ByIndex("color", "red")
				for _, obj := range red {
					if err != nil || obj.(*thing).color != "red" {
						t.Errorf("an object in index red: %v, %v", obj, err)
					}
				}
				if keys := sortedKeys(red); len(slices.Compact(keys)) != len(red) {
					t.Errorf("an object is returned twice by ByIndex: %v", keys)
				}
				if keys := sortedKeys(ix.List()); len(slices.Compact(keys)) != len(keys) {
					t.Errorf("an object is returned twice by List: %v", keys)
				}
				for name, f := range ix.GetIndexers() {
					if _, err := f(newThing("", "a", "", "red")); err != nil {
						t.Errorf("index %s: %v", name, err)
					}
				}
				_ = ListAllByNamespace(ix, "x", labels.Everything(), func(any) {})
				_, _ = ix.Index("color", &thing{ObjectMeta: metav1.ObjectMeta{Name: "q"}, color: "blue"})
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	require.Len(t, ix.GetIndexers(), 1+4*5)
}
