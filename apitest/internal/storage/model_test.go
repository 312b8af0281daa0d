package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/modeltest"
	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// One version counter, consistent lists at every known version, each change
// once and in order to each follower, and no silent gap after a compaction:
// after random operations, a store equals the reference implementation.
func TestModelStore(t *testing.T) {
	modeltest.EachSeed(t, "apitest/internal/storage", 100, func(t *testing.T, seed uint64) {
		m := newStoreModel(t, seed)
		for range 200 {
			m.operate()
		}
	})
}

// storeModel operates a store and its reference implementation.
type storeModel struct {
	*testing.T
	rng       *rand.Rand
	real      *Store
	reference *referenceStore
	followers []*modelFollower
}

// modelFollower is a follower and the position of the reference implementation.
type modelFollower struct {
	real      *Follower
	reference *referenceTable // nil once the follower must end
	seen      uint64
}

func newStoreModel(t *testing.T, seed uint64) *storeModel {
	rng := rand.New(rand.NewPCG(seed, 0))
	limit := []int{-1, 0, 1, 3, 20, 100}[rng.IntN(6)]
	return &storeModel{T: t, rng: rng, real: New(limit, 0), reference: &referenceStore{limit: limit, version: 1, tables: map[string]*referenceTable{}, drops: map[string]uint64{}}}
}

func (m *storeModel) operate() {
	name := []string{"a", "b"}[m.rng.IntN(2)]
	table := m.real.Table(schema.GroupResource{Resource: name})
	reference := m.reference.tables[name]
	if reference == nil {
		reference = &referenceTable{unknown: m.reference.drops[name], createdAt: m.reference.version}
		m.reference.tables[name] = reference
	}
	switch n := m.rng.IntN(100); {
	case n < 40:
		m.write(table, reference)
		if m.rng.IntN(30) == 0 { // more than a follower returns at once
			for range 2 * batch {
				m.write(table, reference)
			}
		}
	case n < 50:
		m.remove(table, reference)
	case n < 70:
		m.list(table, reference)
	case n < 78:
		m.follow(table, reference)
	case n < 95:
		m.read()
	case n < 97:
		m.compact()
	case n < 99:
		m.rewind()
	default:
		m.drop(name, table, reference)
	}
	require.Equal(m, m.reference.version, m.real.Current())
}

func (m *storeModel) key() Key {
	return Key{[]string{"a", "a-b", "b", "ab"}[m.rng.IntN(4)], []string{"x", "x-y", "x.y", "y", "z"}[m.rng.IntN(5)]}
}

// randomVersion returns a random version, usually a recent one.
func (m *storeModel) randomVersion() uint64 {
	back := m.rng.IntN(12)
	if m.rng.IntN(4) == 0 {
		back = m.rng.IntN(int(m.reference.version) + 2)
	}
	return uint64(max(1, int(m.reference.version)+2-back))
}

func (m *storeModel) write(table *Table, reference *referenceTable) {
	k, value := m.key(), fmt.Sprint(m.rng.IntN(1000))
	stored := table.Get(k)
	now, err := table.Commit(k, stored, modeltest.ConfigMap(m, k.Namespace, k.Name, value, nil))
	require.NoError(m, err)
	m.reference.step(reference, k, value)
	require.Equal(m, m.reference.version, now.Version)
	_, err = table.Commit(k, stored, modeltest.ConfigMap(m, k.Namespace, k.Name, value, nil))
	require.ErrorIs(m, err, ErrConflict, "another write was faster")
}

func (m *storeModel) remove(table *Table, reference *referenceTable) {
	k := m.key()
	stored := table.Get(k)
	if stored == nil {
		return
	}
	now, err := table.Remove(stored)
	require.NoError(m, err)
	m.reference.step(reference, k, "")
	require.Equal(m, m.reference.version, now.Version)
	require.Equal(m, modelText(stored), modelText(now), "a deletion has the last state")
	_, err = table.Remove(stored)
	require.ErrorIs(m, err, ErrConflict)
}

func (m *storeModel) list(table *Table, reference *referenceTable) {
	listed := span{limit: m.rng.IntN(4), namespace: []string{"", "", "a", "a-b"}[m.rng.IntN(4)]}
	if m.rng.IntN(2) == 0 {
		listed.at = m.randomVersion()
	}
	if m.rng.IntN(2) == 0 {
		k := m.key()
		listed.after = &k
	}
	found, left, at, err := table.list(listed)
	var text strings.Builder
	for _, r := range found {
		fmt.Fprintf(&text, "%s/%s=%s@%d ", r.Namespace, r.Name, modelText(r), r.Version)
	}
	fmt.Fprintf(&text, "and %d more at %d", left, at)
	got := text.String()
	if err != nil {
		got = err.Error()
	}
	require.Equal(m, m.reference.list(reference, listed), got, "%+v", listed)
}

// modelText returns the value of a record, and checks its form.
func modelText(r *Record) string {
	obj, err := objects.Decode(r.Raw)
	if err != nil {
		return err.Error()
	}
	if obj.GetName() != r.Name || obj.GetNamespace() != r.Namespace || obj.GetResourceVersion() != fmt.Sprint(r.Version) {
		return "the stored object is not " + r.Name
	}
	data, _ := obj.Object["data"].(map[string]any)
	return fmt.Sprint(data["value"])
}

func (m *storeModel) follow(table *Table, reference *referenceTable) {
	after := m.randomVersion()
	real, err := table.Follow(after)
	if after <= m.reference.version && after < m.reference.oldest(reference) {
		require.Equal(m, TooOld{after, m.reference.oldest(reference)}, err)
		return
	}
	if after < reference.createdAt {
		require.Equal(m, TooOld{after, reference.createdAt}, err)
		return
	}
	require.NoError(m, err)
	m.followers = append(m.followers, &modelFollower{real: real, reference: reference, seen: after})
}

// read lets a random follower read once.
func (m *storeModel) read() {
	if len(m.followers) == 0 {
		return
	}
	at := m.rng.IntN(len(m.followers))
	f := m.followers[at]
	changes, wake, err := f.real.Ready()
	switch {
	case f.reference == nil:
		require.ErrorIs(m, err, ErrDropped)
	case f.seen < m.reference.dropped(f.reference):
		require.ErrorAs(m, err, &TooOld{}, "removed changes must be reported")
	default:
		if f.reference.isDropped && len(f.reference.after(f.seen)) == 0 {
			require.ErrorIs(m, err, ErrDropped, "followers end with their table")
			break
		}
		require.NoError(m, err, "a follower that missed nothing must not fail")
		m.check(f, changes, wake)
		return
	}
	m.followers = append(m.followers[:at], m.followers[at+1:]...)
}

func (m *storeModel) check(f *modelFollower, changes []Change, wake <-chan struct{}) {
	want, got := f.reference.after(f.seen), []referenceStep(nil)
	upTo := max(f.seen, m.reference.version)
	if len(want) > batch {
		want = want[:batch]
		upTo = want[batch-1].version
	}
	for _, c := range changes {
		step := referenceStep{version: c.New.Version, key: c.New.Key, value: modelText(c.New)}
		if c.New.Deleted {
			step.value = ""
		}
		before, existed := f.reference.state(c.New.Version - 1)[c.New.Key]
		require.Equal(m, existed, c.Old != nil)
		if existed {
			require.Equal(m, before, referenceStep{version: c.Old.Version, key: c.Old.Key, value: modelText(c.Old)})
		}
		got = append(got, step)
	}
	require.Len(m, got, len(want))
	if len(want) > 0 {
		require.Equal(m, want, got)
	}
	require.Equal(m, len(changes) == 0, wake != nil)
	require.Equal(m, upTo, f.real.Seen, "all changes up to this version were returned, and no later one")
	f.seen = upTo
}

func (m *storeModel) compact() {
	version := m.randomVersion()
	m.real.Compact(version)
	m.reference.compacted = max(m.reference.compacted, min(version, m.reference.version))
}

func (m *storeModel) rewind() {
	version := m.randomVersion()
	err := m.real.Rewind(version)
	if version > m.reference.version {
		require.Equal(m, TooNew{version, m.reference.version}, err)
		return
	}
	for _, reference := range m.reference.tables {
		if version < m.reference.oldest(reference) {
			require.True(m, errors.As(err, &TooOld{}), "%v", err)
			return
		}
	}
	for _, dropped := range m.reference.drops {
		if version < dropped {
			require.True(m, errors.As(err, &TooOld{}), "the removal of a table is not undone: %v", err)
			return
		}
	}
	require.NoError(m, err)
	for _, reference := range m.reference.tables {
		reference.unknown = m.reference.dropped(reference)
		kept := 0
		for _, step := range reference.steps {
			if step.version <= version {
				kept++
			}
		}
		reference.steps = reference.steps[:kept]
		reference.createdAt = min(reference.createdAt, version)
	}
	m.reference.version = version
	for _, f := range m.followers {
		if f.reference != nil && !f.reference.isDropped {
			f.reference = nil
		}
	}
}

func (m *storeModel) drop(name string, table *Table, reference *referenceTable) {
	m.real.Drop(schema.GroupResource{Resource: name})
	delete(m.reference.tables, name)
	m.reference.drops[name] = m.reference.version
	reference.unknown, reference.isDropped = m.reference.dropped(reference), true
	_, err := table.Commit(Key{"a", "x"}, nil, modeltest.ConfigMap(m, "a", "x", "0", nil))
	require.ErrorIs(m, err, ErrDropped)
}
