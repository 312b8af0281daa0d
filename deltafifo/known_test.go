package deltafifo

import (
	"iter"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// Promise: the known state of a key is its newest queued delta, else its newest
// delta in progress, else the object in KnownObjects. After a Deleted the key is
// unknown.
func TestKnownReturnsTheLastState(t *testing.T) {
	q, store := newQueue()
	requireKnown := func(version string) {
		t.Helper()
		obj, ok := q.Known("A")
		require.Equal(t, version != "", ok)
		require.Equal(t, version, obj.version)
	}
	requireKnown("")
	store["A"] = newObject("A", "1")
	requireKnown("1")
	require.NoError(t, q.Add(newObject("A", "2")))
	requireKnown("2")
	d := q.tryBegin(false, 0)
	requireKnown("2")
	require.NoError(t, q.Update(newObject("A", "3")))
	requireKnown("3")
	require.NoError(t, q.Delete(newObject("A", "4")))
	requireKnown("")
	store.apply(d.deltas)
	q.finish(d)
	requireKnown("")
}

// Promise: the transform never runs on its own results. A writer that cannot read
// an item of a list passes the known object to Replace. Replace recognises that
// object, even if the transform has removed its UID and version.
func TestReplaceKeepsKnownObjectWithoutTransform(t *testing.T) {
	store := pointerStore{}
	q := New(Options[*testObject]{
		KeyFunc:      func(obj *testObject) (string, error) { return obj.key, nil },
		MetaFunc:     func(obj *testObject) (types.UID, string) { return obj.uid, obj.version },
		KnownObjects: store,
		Transform: func(obj *testObject) (*testObject, bool, error) {
			require.False(t, obj.transformed)
			return &testObject{key: obj.key, transformed: true}, true, nil
		},
	})
	a, b := newObject("A", "1"), newObject("B", "2")
	require.NoError(t, q.Add(&a))
	first := q.tryBegin(false, 0)
	store["A"] = first.deltas[0].Object
	q.finish(first)
	known, ok := q.Known("A")
	require.True(t, ok)
	require.NoError(t, q.Replace(func(yield func(*testObject, error) bool) { _ = yield(known, nil) && yield(&b, nil) }, nil))
	d := q.tryBegin(true, 0)
	require.Len(t, d.deltas, 1)
	require.Equal(t, "B", d.deltas[0].Key)
}

type pointerStore map[string]*testObject

func (p pointerStore) Get(key string) (*testObject, bool) { obj, ok := p[key]; return obj, ok }

func (p pointerStore) Keys() iter.Seq[string] { return maps.Keys(p) }
