package apitest

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	modelSeed  = flag.Uint64("model.seed", 0, "run the model tests with this seed only")
	modelSeeds = flag.Int("model.seeds", 100, "how many seeds the model tests run")
)

// eachSeed runs a model test, which fails with how to run it again.
func eachSeed(t *testing.T, run func(t *testing.T, seed uint64)) {
	first, last := uint64(1), uint64(*modelSeeds)
	if *modelSeed != 0 {
		first, last = *modelSeed, *modelSeed
	} else if raceEnabled {
		last = max(1, last/10)
	}
	for seed := first; seed <= last; seed++ {
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./apitest -run '^%s$' -model.seed=%d", t.Name(), seed)
				}
			}()
			run(t, seed)
		}()
	}
}

// One version counter, consistent lists at every remembered version, each change
// once and in order to each follower, and no silent gap after a compaction: a
// store does what its twin says, whatever is done to it.
func TestModelStore(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		m := newStoreModel(t, seed)
		for range 200 {
			m.operate()
		}
	})
}

// storeModel drives a store and its twin.
type storeModel struct {
	*testing.T
	rng       *rand.Rand
	real      *store
	twin      *twinStore
	followers []*modelFollower
}

// modelFollower is a follower and what its twin says that it has to return.
type modelFollower struct {
	real *follower
	twin *twinTable // nil once the follower has to be ended
	seen uint64
}

func newStoreModel(t *testing.T, seed uint64) *storeModel {
	rng := rand.New(rand.NewPCG(seed, 0))
	limit := []int{-1, 0, 1, 3, 20, 100}[rng.IntN(6)]
	return &storeModel{T: t, rng: rng, real: newStore(limit, 0), twin: &twinStore{limit: limit, version: 1, tables: map[string]*twinTable{}, drops: map[string]uint64{}}}
}

func (m *storeModel) operate() {
	name := []string{"a", "b"}[m.rng.IntN(2)]
	table := m.real.table(schema.GroupResource{Resource: name})
	twin := m.twin.tables[name]
	if twin == nil {
		twin = &twinTable{unknown: m.twin.drops[name], born: m.twin.version}
		m.twin.tables[name] = twin
	}
	switch n := m.rng.IntN(100); {
	case n < 40:
		m.write(table, twin)
		if m.rng.IntN(30) == 0 { // more than a follower gets at once
			for range 2 * batch {
				m.write(table, twin)
			}
		}
	case n < 50:
		m.remove(table, twin)
	case n < 70:
		m.list(table, twin)
	case n < 78:
		m.follow(table, twin)
	case n < 95:
		m.read()
	case n < 97:
		m.compact()
	case n < 99:
		m.rewind()
	default:
		m.drop(name, table, twin)
	}
	require.Equal(m, m.twin.version, m.real.current())
}

func (m *storeModel) key() key {
	return key{[]string{"a", "a-b", "b", "ab"}[m.rng.IntN(4)], []string{"x", "x-y", "x.y", "y", "z"}[m.rng.IntN(5)]}
}

// somewhere is a version, mostly of the near past.
func (m *storeModel) somewhere() uint64 {
	back := m.rng.IntN(12)
	if m.rng.IntN(4) == 0 {
		back = m.rng.IntN(int(m.twin.version) + 2)
	}
	return uint64(max(1, int(m.twin.version)+2-back))
}

func (m *storeModel) write(table *table, twin *twinTable) {
	k, value := m.key(), fmt.Sprint(m.rng.IntN(1000))
	was := table.get(k)
	now, err := table.commit(k, was, anObject(m, k, value, nil))
	require.NoError(m, err)
	m.twin.step(twin, k, value)
	require.Equal(m, m.twin.version, now.version)
	_, err = table.commit(k, was, anObject(m, k, value, nil))
	require.ErrorIs(m, err, errMoved, "another write came between")
}

func (m *storeModel) remove(table *table, twin *twinTable) {
	k := m.key()
	was := table.get(k)
	if was == nil {
		return
	}
	now, err := table.remove(was)
	require.NoError(m, err)
	m.twin.step(twin, k, "")
	require.Equal(m, m.twin.version, now.version)
	require.Equal(m, modelText(was), modelText(now), "a deletion shows the last state")
	_, err = table.remove(was)
	require.ErrorIs(m, err, errMoved)
}

func (m *storeModel) list(table *table, twin *twinTable) {
	of := span{limit: m.rng.IntN(4), namespace: []string{"", "", "a", "a-b"}[m.rng.IntN(4)]}
	if m.rng.IntN(2) == 0 {
		of.at = m.somewhere()
	}
	if m.rng.IntN(2) == 0 {
		k := m.key()
		of.after = &k
	}
	found, left, at, err := table.list(of)
	var text strings.Builder
	for _, r := range found {
		fmt.Fprintf(&text, "%s/%s=%s@%d ", r.namespace, r.name, modelText(r), r.version)
	}
	fmt.Fprintf(&text, "and %d more at %d", left, at)
	got := text.String()
	if err != nil {
		got = err.Error()
	}
	require.Equal(m, m.twin.list(twin, of), got, "%+v", of)
}

// modelText is the value of a record, after a look at its form.
func modelText(r *record) string {
	obj, err := decode(r.raw)
	if err != nil {
		return err.Error()
	}
	if obj.GetName() != r.name || obj.GetNamespace() != r.namespace || obj.GetResourceVersion() != fmt.Sprint(r.version) {
		return "what is stored is not " + r.name
	}
	data, _ := obj.Object["data"].(map[string]any)
	return fmt.Sprint(data["value"])
}

func (m *storeModel) follow(table *table, twin *twinTable) {
	after := m.somewhere()
	real, err := table.follow(after)
	if after <= m.twin.version && after < m.twin.oldest(twin) {
		require.Equal(m, tooOld{after, m.twin.oldest(twin)}, err)
		return
	}
	if after < twin.born {
		require.Equal(m, tooOld{after, twin.born}, err)
		return
	}
	require.NoError(m, err)
	m.followers = append(m.followers, &modelFollower{real: real, twin: twin, seen: after})
}

// read lets one follower read once.
func (m *storeModel) read() {
	if len(m.followers) == 0 {
		return
	}
	at := m.rng.IntN(len(m.followers))
	f := m.followers[at]
	changes, wake, err := f.real.ready()
	switch {
	case f.twin == nil:
		require.ErrorIs(m, err, errDropped)
	case f.seen < m.twin.dropped(f.twin):
		require.ErrorAs(m, err, &tooOld{}, "no silence about changes that are forgotten")
	default:
		if f.twin.dead && len(f.twin.after(f.seen)) == 0 {
			require.ErrorIs(m, err, errDropped, "the end of a table is an end")
			break
		}
		require.NoError(m, err, "who missed nothing is told nothing")
		m.check(f, changes, wake)
		return
	}
	m.followers = append(m.followers[:at], m.followers[at+1:]...)
}

func (m *storeModel) check(f *modelFollower, changes []change, wake <-chan struct{}) {
	want, got := f.twin.after(f.seen), []twinStep(nil)
	upTo := max(f.seen, m.twin.version)
	if len(want) > batch {
		want = want[:batch]
		upTo = want[batch-1].version
	}
	for _, c := range changes {
		step := twinStep{version: c.now.version, key: c.now.key, value: modelText(c.now)}
		if c.now.deleted {
			step.value = ""
		}
		before, existed := f.twin.state(c.now.version - 1)[c.now.key]
		require.Equal(m, existed, c.was != nil)
		if existed {
			require.Equal(m, before, twinStep{version: c.was.version, key: c.was.key, value: modelText(c.was)})
		}
		got = append(got, step)
	}
	require.Len(m, got, len(want))
	if len(want) > 0 {
		require.Equal(m, want, got)
	}
	require.Equal(m, len(changes) == 0, wake != nil)
	require.Equal(m, upTo, f.real.seen, "everything up to there was returned, and nothing after it")
	f.seen = upTo
}

func (m *storeModel) compact() {
	version := m.somewhere()
	m.real.compact(version)
	m.twin.compacted = max(m.twin.compacted, min(version, m.twin.version))
}

func (m *storeModel) rewind() {
	version := m.somewhere()
	err := m.real.rewind(version)
	if version > m.twin.version {
		require.Equal(m, tooNew{version, m.twin.version}, err)
		return
	}
	for _, twin := range m.twin.tables {
		if version < m.twin.oldest(twin) {
			require.True(m, errors.As(err, &tooOld{}), "%v", err)
			return
		}
	}
	for _, dropped := range m.twin.drops {
		if version < dropped {
			require.True(m, errors.As(err, &tooOld{}), "the end of a table is not undone: %v", err)
			return
		}
	}
	require.NoError(m, err)
	for _, twin := range m.twin.tables {
		twin.unknown = m.twin.dropped(twin)
		kept := 0
		for _, step := range twin.steps {
			if step.version <= version {
				kept++
			}
		}
		twin.steps = twin.steps[:kept]
		twin.born = min(twin.born, version)
	}
	m.twin.version = version
	for _, f := range m.followers {
		if f.twin != nil && !f.twin.dead {
			f.twin = nil
		}
	}
}

func (m *storeModel) drop(name string, table *table, twin *twinTable) {
	m.real.drop(schema.GroupResource{Resource: name})
	delete(m.twin.tables, name)
	m.twin.drops[name] = m.twin.version
	twin.unknown, twin.dead = m.twin.dropped(twin), true
	_, err := table.commit(key{"a", "x"}, nil, anObject(m, key{"a", "x"}, "0", nil))
	require.ErrorIs(m, err, errDropped)
}
