package deltafifo

import (
	"iter"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// Promise: "A key is known by its newest delta that is queued, else by the
// newest that is being processed, else by the object that KnownObjects has.
// After a Deleted it is unknown": Known tells by that rule.
func TestKnownIsTheLastState(t *testing.T) {
	q, store := newThings()
	is := func(version string) {
		t.Helper()
		obj, ok := q.Known("A")
		require.Equal(t, version != "", ok)
		require.Equal(t, version, obj.version)
	}
	is("")
	store["A"] = object("A", "1")
	is("1")
	require.NoError(t, q.Add(object("A", "2")))
	is("2")
	h := q.tryBegin(false, 0)
	is("2")
	require.NoError(t, q.Update(object("A", "3")))
	is("3")
	require.NoError(t, q.Delete(object("A", "4")))
	is("")
	store.apply(h.deltas)
	q.finish(h)
	is("")
}

// Promise: "It never runs on an object that has been through it": a known
// object that stands in for one that could not be read is recognised, whatever
// the transform has taken from it.
func TestAKnownObjectStandsInForItself(t *testing.T) {
	store := pointers{}
	q := New(Options[*thing]{
		KeyFunc:      func(th *thing) (string, error) { return th.key, nil },
		MetaFunc:     func(th *thing) (types.UID, string) { return th.uid, th.version },
		KnownObjects: store,
		Transform: func(th *thing) (*thing, bool, error) {
			require.False(t, th.transformed)
			return &thing{key: th.key, transformed: true}, true, nil
		},
	})
	a, b := object("A", "1"), object("B", "2")
	require.NoError(t, q.Add(&a))
	first := q.tryBegin(false, 0)
	store["A"] = first.deltas[0].Object
	q.finish(first)
	known, ok := q.Known("A")
	require.True(t, ok)
	require.NoError(t, q.Replace(func(yield func(*thing, error) bool) { _ = yield(known, nil) && yield(&b, nil) }, nil))
	h := q.tryBegin(true, 0)
	require.Len(t, h.deltas, 1)
	require.Equal(t, "B", h.deltas[0].Key)
}

type pointers map[string]*thing

func (p pointers) Get(key string) (*thing, bool) { th, ok := p[key]; return th, ok }

func (p pointers) Keys() iter.Seq[string] { return maps.Keys(p) }
