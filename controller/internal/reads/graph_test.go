package reads

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// read makes a read of a key and ends the reconcile.
func read(g *Graph[string], request string, s *Source[string], keys ...string) {
	a := g.Begin(request)
	for _, key := range keys {
		e, _ := a.Open(s, Target{Kind: Key, Value: key})
		a.Close(e, 1)
	}
	g.End(a, true, false)
}

// updateOf is an update of an object of "source".
func updateOf(key string, old, new int, mayBeOwn bool) *Change {
	return &Change{
		Source: "source", Key: key, Revision: uint64(new), Cause: Cause{Time: time.Unix(int64(new), 0), Source: "source", Key: key},
		UID: "u", New: strconv.Itoa(new), MayBeOwn: mayBeOwn, OldUID: "u", Old: strconv.Itoa(old),
	}
}

func apply(g *Graph[string], s *Source[string], c *Change, mapped ...string) []string {
	return g.Apply(nil, c, s.Match(nil, c.Key, true, nil), true, mapped)
}

// After the removal of an informer nothing of it remains, also if a reconcile is in
// progress; reads of others remain.
func TestRemovedSourceLeavesNothing(t *testing.T) {
	g, removed, other := NewGraph[string](), NewSource[string]("removed"), NewSource[string]("other")
	read(g, "a", removed, "x", "y")
	working := g.Begin("b")
	for _, s := range []*Source[string]{removed, other} {
		e, _ := working.Open(s, Target{Kind: Everything})
		working.Close(e, 1)
	}
	open, _ := working.Open(removed, Target{Kind: IndexValue, Value: "v", Index: &Index{ID: 1}})
	working.Own.Read("source", "x", "u", "1")
	working.Own.Wrote("source", "x", "u", "2", 0, false)
	writer := g.Begin("c")
	writer.Own.Wrote("source", "x", "u", "3", 0, false)
	g.End(writer, true, false)

	g.Remove(removed, "source")
	require.False(t, removed.Read())
	require.True(t, working.Close(open, 1))
	require.False(t, g.End(working, true, false))
	requests, dependencies := g.Len()
	require.Equal(t, []int{1, 1}, []int{requests, dependencies})
	require.NotContains(t, g.writes, "c")
	require.Equal(t, []string{"b"}, g.Apply(nil, updateOf("x", 1, 2, false), other.Match(nil, "x", true, nil), true, nil))
}

// Own writes are forgotten when the informer has passed them, also if the change does not
// affect the request: a predicate has rejected it, or the object is not mapped to the
// request. The number of other requests with own writes is bounded.
func TestOwnWritesAreForgotten(t *testing.T) {
	wrote := func(g *Graph[string], request, key string, during ...*Change) {
		a := g.Begin(request)
		a.Own.Read("source", key, "u", "1")
		for _, c := range during {
			g.Apply(nil, c, nil, false, nil)
		}
		a.Own.Wrote("source", key, "u", "2", 0, false)
		g.End(a, true, false)
	}
	g, s := NewGraph[string](), NewSource[string]("source")
	wrote(g, "a", "x")
	wrote(g, "b", "x")
	require.Empty(t, apply(g, s, updateOf("x", 1, 2, true), "a"))
	require.Empty(t, g.writes)
	wrote(g, "a", "x", updateOf("x", 1, 2, true))
	require.Empty(t, g.writes, "the event came before the response")
	for i := range maxWriters + 10 {
		wrote(g, strconv.Itoa(i), "never seen")
	}
	require.Len(t, g.writes, maxWriters)
	require.Len(t, g.writers[object{"source", "never seen"}], maxWriters)
	g.ForgetRun()
	require.Empty(t, g.writers)
}

// The cause is the last change that counts, neither an own write nor one that the
// reconcile has read.
func TestCauseIsAChangeThatCounts(t *testing.T) {
	g, s := NewGraph[string](), NewSource[string]("source")
	a := g.Begin("r")
	for _, key := range []string{"counts", "seen", "own"} {
		e, _ := a.Open(s, Target{Kind: Key, Value: key})
		a.Close(e, map[string]uint64{"seen": 9, "counts": 1, "own": 1}[key])
	}
	a.Own.Read("source", "own", "u", "1")
	a.Own.Wrote("source", "own", "u", "4", 0, false)
	apply(g, s, updateOf("counts", 1, 2, true))
	apply(g, s, updateOf("seen", 1, 3, false))
	apply(g, s, updateOf("own", 1, 4, true))
	require.True(t, g.End(a, true, false))
	cause, _, _ := g.Explain("r", 10)
	require.Equal(t, "source counts", cause.String())
}

// Changes that affect no request displace no cause.
func TestOtherChangesDisplaceNoCause(t *testing.T) {
	g, s := NewGraph[string](), NewSource[string]("source")
	read(g, "r", s, "x")
	require.Equal(t, []string{"r"}, apply(g, s, updateOf("x", 1, 2, false)))
	for range 2 * maxCauses {
		apply(g, s, updateOf("other", 1, 2, false))
	}
	cause, _, _ := g.Explain("r", 10)
	require.Equal(t, "source x", cause.String())
}

// The reads of many objects whose own writes are ignored do not become slower with their
// number.
func BenchmarkOwnReads(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			keys := make([]string, n)
			for i := range keys {
				keys[i] = fmt.Sprintf("default/object-%06d", i)
			}
			var own OwnWrites
			for i := range b.N {
				if i%n == 0 {
					own = OwnWrites{}
				}
				own.Read("source", keys[i%n], "u", "1")
			}
		})
	}
}

// A record with many objects finds each of them, also while others are dropped.
func TestManyOwnWrites(t *testing.T) {
	var own OwnWrites
	for i := range 3 * maxWalk {
		key := strconv.Itoa(i)
		own.Read("source", key, "u", "1")
		if i%2 == 0 {
			own.Wrote("source", key, "u", "2", 0, false)
		}
	}
	require.True(t, own.wrote())
	for i := range 3 * maxWalk {
		c := updateOf(strconv.Itoa(i), 1, 2, true)
		require.Equal(t, i%2 == 0, own.isOwn(c), i)
		require.True(t, own.forget(c))
		require.False(t, own.isOwn(c))
	}
	require.Empty(t, own.objects)
}
