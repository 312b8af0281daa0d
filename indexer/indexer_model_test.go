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

// item is the object type of most tests: a value type, so that the store cannot
// depend on pointers. values[i] has its values in index i. The value "panic" makes
// the function of that index panic.
type item struct {
	key     string
	uid     types.UID
	version int
	values  [3]string // separated by spaces; "" is no value
}

func (it item) indexed(i int) []string {
	if it.values[i] == "panic" {
		panic("deliberate panic")
	}
	var values []string
	for v := range fields(it.values[i]) {
		values = append(values, v)
	}
	return values
}

// fields yields the fields of s, which are separated by spaces.
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

// reference is a simple implementation of the indexer: a map, and every method
// searches the whole map.
type reference struct {
	objects map[string]item
	version string
}

func (r reference) clone() reference { return reference{maps.Clone(r.objects), r.version} }

// index returns the expected contents of index i: for each value, its objects by key.
func (r reference) index(i int) map[string]map[string]item {
	index := map[string]map[string]item{}
	for key, it := range r.objects {
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

// model performs the same random operations on an indexer and on a reference, and
// keeps old snapshots together with clones of the reference.
type model struct {
	t         *testing.T
	rng       *rand.Rand
	ix        *Indexer[item]
	reference reference
	indexes   []*Index[item]
	held      []heldSnapshot
	keys      int
	counter   int
}

// heldSnapshot is a snapshot with the reference at the time when it was taken.
type heldSnapshot struct {
	snapshot  Snapshot[item]
	reference reference
}

// Promise: each write is atomic, including a Replace and a batch: an object and all
// its index entries change together. A read returns one consistent version.
func TestIndexerMatchesReference(t *testing.T) {
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
			t.Logf("repeat with: go test ./indexer -run TestIndexerMatchesReference -model.seed=%d", seed)
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 0))
	m := &model{t: t, rng: rng, reference: reference{objects: map[string]item{}}}
	m.keys = []int{3, 40, 400}[rng.IntN(3)]
	m.ix = New(Options[item]{
		KeyFunc:  func(it item) (string, error) { return it.key, nil },
		MetaFunc: func(it item) (types.UID, string) { return it.uid, fmt.Sprint(it.version) },
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	for range operations {
		m.step()
		if rng.IntN(20) == 0 {
			m.check(m.ix.Snapshot(), m.reference)
		}
	}
	m.check(m.ix.Snapshot(), m.reference)
	for _, h := range m.held {
		m.check(h.snapshot, h.reference)
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
		m.writeOlder()
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
			m.check(m.held[i].snapshot, m.held[i].reference)
			m.held = slices.Delete(m.held, i, i+1)
		}
	default:
		version := fmt.Sprint("bookmark-", m.counter)
		m.ix.Bookmark(version)
		m.reference.version = version
	}
	require.Equal(m.t, len(m.reference.objects), m.ix.Len())
}

// addIndex adds an index whose function writes and takes snapshots while the index
// is filled. No lock is held then.
func (m *model) addIndex() {
	i, meanwhile := len(m.indexes), m.rng.IntN(2*m.keys)
	index, err := m.ix.AddIndex(fmt.Sprint("index-", i), func(it item) []string {
		if meanwhile--; meanwhile > 0 && meanwhile < 40 && m.rng.IntN(2) == 0 {
			left := meanwhile
			meanwhile = 0 // the writes below call this function too
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

// hold keeps a snapshot.
func (m *model) hold() { m.held = append(m.held, heldSnapshot{m.ix.Snapshot(), m.reference.clone()}) }

// item returns an object with a new version.
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
	m.reference.objects[it.key] = it
	m.reference.version = fmt.Sprint(it.version)
}

// remove deletes an item from the reference, unless the stored object has another UID, as
// documented for Options.MetaFunc.
func (m *model) remove(it item) {
	if was, ok := m.reference.objects[it.key]; ok && was.uid != it.uid {
		return
	}
	delete(m.reference.objects, it.key)
	m.reference.version = fmt.Sprint(it.version)
}

// writeOlder writes an older version of a stored object, which must change nothing.
func (m *model) writeOlder() {
	it, ok := m.reference.objects[fmt.Sprint("key-", m.rng.IntN(m.keys))]
	if !ok || it.version == 1 { // there is no valid version before 1
		return
	}
	it.version--
	it.values = [3]string{"older", "older", "older"}
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
		old, existed := m.reference.objects[c.Object.key]
		require.Equal(m.t, existed, c.Existed)
		require.Equal(m.t, old, c.Old)
		if c.Delete {
			delete(m.reference.objects, c.Object.key)
		} else {
			m.reference.objects[c.Object.key] = c.Object
		}
	}
	if version != "" {
		m.reference.version = version
	}
}

func (m *model) replace() {
	next := reference{objects: map[string]item{}, version: fmt.Sprint("list-", m.counter)}
	var items []item
	for range m.rng.IntN(m.keys + 1) {
		it := m.item()
		if was, ok := m.reference.objects[it.key]; ok && m.rng.IntN(2) == 0 {
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
	m.reference = next
}

// check compares all results of a snapshot with those of the reference.
func (m *model) check(s Snapshot[item], want reference) {
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
		values["unused"] = map[string]item{}
		for value, objects := range values {
			require.Equal(m.t, objects, byKey(m.t, s.Find(index, value)))
			require.Equal(m.t, objects, byKey(m.t, appended(func(list []item) []item { return s.AppendFound(list, index, value) })))
			require.Equal(m.t, len(objects), s.Count(index, value))
		}
	}
}

// appended yields the objects that appendTo appends to a slice with one element.
func appended(appendTo func([]item) []item) iter.Seq[item] {
	return slices.Values(appendTo(make([]item, 1))[1:])
}

// byKey returns the objects of all by key, and fails if a key occurs twice.
func byKey(t *testing.T, all iter.Seq[item]) map[string]item {
	objects := map[string]item{}
	for it := range all {
		if _, again := objects[it.key]; again {
			require.Fail(t, "the key occurs twice", it.key)
		}
		objects[it.key] = it
	}
	return objects
}
