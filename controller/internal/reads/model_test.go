package reads

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// modelRequest is the reference of a request: what its reconciles have read, and the
// changes during the one in progress.
type modelRequest struct {
	// set has the revisions of what counts, read those of the reconcile in progress.
	set, read map[Target]uint64
	attempt   *Attempt[string]
	changes   []modelChange
}

type modelChange struct {
	revision uint64
	targets  map[Target]bool
}

// model compares a Graph with maps and loops. A store has a revision, and its changes
// arrive in order and possibly late.
type model struct {
	*testing.T
	rand     *rand.Rand
	graph    *Graph[string]
	source   *Source[string]
	index    *Index
	revision uint64
	pending  []func()
	requests map[string]*modelRequest
}

// A request is enqueued for exactly the changes above the revisions that it has read,
// with random reads, changes that arrive late, successes and failures.
func TestModel(t *testing.T) {
	for seed := range uint64(100) {
		m := &model{
			T: t, rand: rand.New(rand.NewPCG(seed, 0)), graph: NewGraph[string](), source: NewSource[string]("things"),
			index: &Index{ID: "color", Name: "color"}, requests: map[string]*modelRequest{},
		}
		for i := range 3 {
			m.requests[fmt.Sprint("r", i)] = &modelRequest{set: map[Target]uint64{}}
		}
		for range 300 {
			m.step()
		}
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

func (m *model) step() {
	name := fmt.Sprint("r", m.rand.IntN(3))
	r := m.requests[name]
	switch n := m.rand.IntN(10); {
	case n < 3:
		m.change()
	case n < 6 && len(m.pending) > 0:
		m.pending[0]()
		m.pending = m.pending[1:]
	case r.attempt == nil:
		r.attempt, r.read, r.changes = m.graph.Begin(name), map[Target]uint64{}, nil
	case n < 9:
		m.read(r)
	default:
		m.end(name, r, m.rand.IntN(3) > 0)
	}
	m.checkSets()
}

func (m *model) target() Target {
	switch m.rand.IntN(6) {
	case 0:
		return Target{Kind: Everything}
	case 1:
		return Target{Kind: Namespace, Value: fmt.Sprint("n", m.rand.IntN(2))}
	case 2:
		return Target{Kind: IndexValue, Index: m.index, Value: fmt.Sprint("c", m.rand.IntN(2))}
	}
	return Target{Kind: Key, Value: fmt.Sprintf("n%d/k%d", m.rand.IntN(2), m.rand.IntN(20))} // more than maxWalk
}

// read reads once or twice, with a snapshot between the two steps of a read.
func (m *model) read(r *modelRequest) {
	for range 1 + m.rand.IntN(6) {
		target := m.target()
		opened, ok := r.attempt.Open(m.source, target)
		require.True(m, ok)
		revision := m.revision
		require.True(m, r.attempt.Close(opened, revision))
		if before, ok := r.read[target]; !ok || revision < before {
			r.read[target] = revision
		}
	}
}

// change changes an object. It arrives later.
func (m *model) change() {
	m.revision++
	namespace := fmt.Sprint("n", m.rand.IntN(2))
	c := &Change{Key: fmt.Sprintf("%s/k%d", namespace, m.rand.IntN(20)), Revision: m.revision}
	isUpdate, accepted := m.rand.IntN(2) == 0, m.rand.IntN(2) == 0
	values := Values{Index: m.index, Old: m.colors(), New: m.colors()}
	counts := map[Target]bool{}
	for _, target := range []Target{{Kind: Everything}, {Kind: Namespace, Value: namespace}, {Kind: Key, Value: c.Key}} {
		counts[target] = !isUpdate || accepted
	}
	for _, color := range []string{"c0", "c1"} {
		before, after := slices.Contains(values.Old, color), slices.Contains(values.New, color)
		counts[Target{Kind: IndexValue, Index: m.index, Value: color}] = before != after || before && after && accepted
	}
	m.pending = append(m.pending, func() { m.arrives(c, counts, isUpdate, accepted, values) })
}

func (m *model) colors() (colors []string) {
	for i := range 2 {
		if m.rand.IntN(2) == 0 {
			colors = append(colors, fmt.Sprint("c", i))
		}
	}
	return colors
}

func (m *model) arrives(c *Change, counts map[Target]bool, isUpdate, accepted bool, values Values) {
	var expected []string
	for name, r := range m.requests {
		if r.attempt != nil {
			r.changes = append(r.changes, modelChange{c.Revision, counts})
			continue
		}
		for target, revision := range r.set {
			if counts[target] && c.Revision > revision {
				expected = append(expected, name)
				break
			}
		}
	}
	var all []Values
	for _, index := range m.source.ReadIndexes() {
		require.Same(m, m.index, index)
		all = append(all, values)
	}
	matches := m.source.Match(nil, c.Key, isUpdate, all)
	require.ElementsMatch(m, expected, m.graph.Apply(nil, c, matches, accepted, nil), "change %+v", c)
}

// end ends a reconcile. After a failure a change counts for what an earlier one has read.
// The graph may count a change of that which the failed one alone has not to consider.
func (m *model) end(name string, r *modelRequest, success bool) {
	var required, allowed bool
	for _, c := range r.changes {
		for target, revision := range r.read {
			required = required || c.targets[target] && c.revision > revision
		}
		for target, revision := range r.set {
			_, again := r.read[target]
			required = required || !success && c.targets[target] && c.revision > revision
			allowed = allowed || !success && c.targets[target] && again
		}
	}
	got := m.graph.End(r.attempt, success, false)
	require.True(m, got || !required, "%s: a change is lost", name)
	require.True(m, !got || required || allowed, "%s: enqueued without a change", name)
	if success {
		r.set = map[Target]uint64{}
	}
	for target, revision := range r.read {
		r.set[target] = revision
	}
	r.attempt = nil
}

// checkSets compares the numbers of dependencies.
func (m *model) checkSets() {
	for name, r := range m.requests {
		expected := len(r.set)
		if r.attempt != nil {
			for target := range r.read {
				if _, ok := r.set[target]; !ok {
					expected++
				}
			}
		}
		_, dependencies, count := m.graph.Explain(name, 1000)
		require.Equal(m, expected, count, name)
		require.Len(m, dependencies, count)
	}
}
