package indexer

import (
	"flag"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

var (
	modelSeed  = flag.Uint64("model.seed", 0, "run the model test with this seed only")
	modelSeeds = flag.Int("model.seeds", 200, "how many seeds the model test runs")
)

// item is what the model test stores: a value type, so that the store cannot
// lean on pointers. values[i] is what index i files it under; a value "panic"
// makes that index's function panic.
type item struct {
	key     string
	uid     types.UID
	version int
	values  [3]string // blank-separated; "" is none
}

func (it item) indexed(i int) []string {
	if it.values[i] == "panic" {
		panic("told to")
	}
	var values []string
	for v := range fields(it.values[i]) {
		values = append(values, v)
	}
	return values
}

func fields(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start, i := 0, 0; i <= len(s); i++ {
			if i == len(s) || s[i] == ' ' {
				if i > start && !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
	}
}

// twin is the indexer in a dozen lines: a map, and every question answered by
// looking at all of it.
type twin struct {
	objects map[string]item
	version string
}

func (t twin) clone() twin { return twin{maps.Clone(t.objects), t.version} }

// index is what index i has to hold: for each value, the objects under it.
func (t twin) index(i int) map[string]map[string]item {
	index := map[string]map[string]item{}
	for key, it := range t.objects {
		if it.values[i] == "panic" {
			continue
		}
		for _, value := range it.indexed(i) {
			if index[value] == nil {
				index[value] = map[string]item{}
			}
			index[value][key] = it
		}
	}
	return index
}

// model drives an indexer and its twin with the same random operations, and
// holds old snapshots beside clones of the twin.
type model struct {
	t       *testing.T
	rng     *rand.Rand
	ix      *Indexer[item]
	twin    twin
	indexes []*Index[item]
	held    []held
	keys    int
	counter int
}

type held struct {
	snapshot Snapshot[item]
	twin     twin
}

// Contract: "Readers never see a half-applied update: an object and all its
// index entries change together; a relist and a popped batch are atomic. A
// read answers from one consistent version."
func TestModel(t *testing.T) {
	if *modelSeed != 0 {
		runModel(t, *modelSeed, 2000)
		return
	}
	seeds := *modelSeeds
	if raceEnabled {
		seeds /= 10
	}
	for seed := range seeds {
		runModel(t, uint64(seed+1), 600)
		if t.Failed() {
			return
		}
	}
}

func runModel(t *testing.T, seed uint64, operations int) {
	defer func() {
		if t.Failed() {
			t.Logf("repeat with: go test ./indexer -run TestModel -model.seed=%d", seed)
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 0))
	m := &model{t: t, rng: rng, twin: twin{objects: map[string]item{}}}
	m.keys = []int{3, 40, 400}[rng.IntN(3)]
	m.ix = New(Options[item]{
		KeyFunc:  func(it item) (string, error) { return it.key, nil },
		MetaFunc: func(it item) (types.UID, string) { return it.uid, fmt.Sprint(it.version) },
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	for range operations {
		m.step()
		if rng.IntN(20) == 0 {
			m.check(m.ix.Snapshot(), m.twin)
		}
	}
	m.check(m.ix.Snapshot(), m.twin)
	for _, h := range m.held {
		m.check(h.snapshot, h.twin)
	}
}

func (m *model) step() {
	switch n := m.rng.IntN(100); {
	case n < 35:
		it := m.item()
		require.NoError(m.t, m.ix.Add(it))
		m.put(it)
	case n < 55:
		it := m.item()
		require.NoError(m.t, m.ix.Delete(it))
		m.remove(it)
	case n < 65:
		m.stale()
	case n < 85:
		m.apply()
	case n < 89:
		m.replace()
	case n < 93 && len(m.indexes) < 3:
		m.addIndex()
	case n < 97:
		m.hold()
		if len(m.held) > 5 {
			i := m.rng.IntN(len(m.held))
			m.check(m.held[i].snapshot, m.held[i].twin)
			m.held = slices.Delete(m.held, i, i+1)
		}
	default:
		version := fmt.Sprint("bookmark-", m.counter)
		m.ix.Bookmark(version)
		m.twin.version = version
	}
	require.Equal(m.t, len(m.twin.objects), m.ix.Len())
}

// addIndex adds an index whose function writes, and takes snapshots, while the
// index is being filled: nothing is locked then.
func (m *model) addIndex() {
	i, meanwhile := len(m.indexes), m.rng.IntN(2*m.keys)
	index, err := m.ix.AddIndex(fmt.Sprint("index-", i), func(it item) []string {
		if meanwhile--; meanwhile > 0 && meanwhile < 40 && m.rng.IntN(2) == 0 {
			left := meanwhile
			meanwhile = 0 // not while the writes below ask for values
			switch m.rng.IntN(4) {
			case 0:
				added := m.item()
				require.NoError(m.t, m.ix.Add(added))
				m.put(added)
			case 1:
				m.apply()
			case 2:
				m.replace()
			default:
				m.hold()
			}
			meanwhile = left
		}
		return it.indexed(i)
	})
	meanwhile = 0
	require.NoError(m.t, err)
	m.indexes = append(m.indexes, index)
}

func (m *model) hold() { m.held = append(m.held, held{m.ix.Snapshot(), m.twin.clone()}) }

// item makes an object with a version newer than any before.
func (m *model) item() item {
	m.counter++
	it := item{key: fmt.Sprint("key-", m.rng.IntN(m.keys)), uid: "u1", version: m.counter}
	if m.rng.IntN(10) == 0 {
		it.uid = "u2"
	}
	for i := range it.values {
		switch m.rng.IntN(8) {
		case 0: // none
		case 1:
			it.values[i] = fmt.Sprintf("v%d v%d v%d", m.rng.IntN(5), m.rng.IntN(5), m.rng.IntN(200))
		case 2:
			it.values[i] = fmt.Sprint("own-", it.key)
		case 3:
			it.values[i] = "panic"
		default:
			it.values[i] = fmt.Sprint("v", m.rng.IntN(3))
		}
	}
	return it
}

func (m *model) put(it item) {
	m.twin.objects[it.key] = it
	m.twin.version = fmt.Sprint(it.version)
}

// remove is Options.MetaFunc's rule: another object of that name stays.
func (m *model) remove(it item) {
	if was, ok := m.twin.objects[it.key]; ok && was.uid != it.uid {
		return
	}
	delete(m.twin.objects, it.key)
	m.twin.version = fmt.Sprint(it.version)
}

// stale writes an older version of what is stored: nothing may change.
func (m *model) stale() {
	it, ok := m.twin.objects[fmt.Sprint("key-", m.rng.IntN(m.keys))]
	if !ok || it.version == 1 { // there is no valid version before 1
		return
	}
	it.version--
	it.values = [3]string{"stale", "stale", "stale"}
	require.NoError(m.t, m.ix.Update(it))
	require.NoError(m.t, m.ix.Delete(it))
}

func (m *model) apply() {
	changes := make([]Change[item], m.rng.IntN(30))
	for i := range changes {
		changes[i] = Change[item]{Object: m.item(), Delete: m.rng.IntN(3) == 0}
	}
	version := ""
	if m.rng.IntN(2) == 0 {
		version = fmt.Sprint("batch-", m.counter)
	}
	require.NoError(m.t, m.ix.Apply(changes, version))
	for _, c := range changes {
		old, existed := m.twin.objects[c.Object.key]
		require.Equal(m.t, existed, c.Existed)
		require.Equal(m.t, old, c.Old)
		if c.Delete {
			delete(m.twin.objects, c.Object.key)
		} else {
			m.twin.objects[c.Object.key] = c.Object
		}
	}
	if version != "" {
		m.twin.version = version
	}
}

func (m *model) replace() {
	next := twin{objects: map[string]item{}, version: fmt.Sprint("list-", m.counter)}
	var items []item
	for range m.rng.IntN(m.keys + 1) {
		it := m.item()
		if was, ok := m.twin.objects[it.key]; ok && m.rng.IntN(2) == 0 {
			it = was
		}
		items = append(items, it)
		next.objects[it.key] = it
	}
	broken := m.rng.IntN(4) == 0
	err := m.ix.Replace(func(yield func(item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
		if broken {
			yield(item{}, io.ErrUnexpectedEOF)
		}
	}, func() string { return next.version })
	if broken {
		require.ErrorIs(m.t, err, io.ErrUnexpectedEOF)
		return
	}
	require.NoError(m.t, err)
	m.twin = next
}

// check compares everything that can be asked.
func (m *model) check(s Snapshot[item], want twin) {
	require.Equal(m.t, want.version, s.Version())
	require.Equal(m.t, len(want.objects), s.Len())
	require.Equal(m.t, slices.Sorted(maps.Keys(want.objects)), slices.Sorted(s.Keys()))
	require.Equal(m.t, want.objects, byKey(m.t, s.All()))
	require.Equal(m.t, want.objects, byKey(m.t, appended(s.AppendAll)))
	for i := range m.keys {
		key := fmt.Sprint("key-", i)
		it, ok := s.Get(key)
		if wantItem, wantOK := want.objects[key]; ok != wantOK || it != wantItem {
			require.Equal(m.t, wantItem, it, "Get(%s): %v, want %v", key, ok, wantOK)
			require.Equal(m.t, wantOK, ok)
		}
	}
	for i, index := range m.indexes {
		values := want.index(i)
		require.Equal(m.t, slices.Sorted(maps.Keys(values)), slices.Sorted(s.Values(index)))
		values["nobody has it"] = map[string]item{}
		for value, objects := range values {
			require.Equal(m.t, objects, byKey(m.t, s.Find(index, value)))
			require.Equal(m.t, objects, byKey(m.t, appended(func(list []item) []item { return s.AppendFound(list, index, value) })))
			require.Equal(m.t, len(objects), s.Count(index, value))
		}
	}
}

// appended is what a function appends to a list that has something in it.
func appended(to func([]item) []item) iter.Seq[item] {
	return slices.Values(to(make([]item, 1))[1:])
}

// byKey collects objects, each of which may come once.
func byKey(t *testing.T, all iter.Seq[item]) map[string]item {
	objects := map[string]item{}
	for it := range all {
		if _, again := objects[it.key]; again {
			require.Fail(t, "an object came twice", it.key)
		}
		objects[it.key] = it
	}
	return objects
}
