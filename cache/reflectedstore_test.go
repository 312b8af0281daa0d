package cache

import (
	"errors"
	"log/slog"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/reflector/storetest"
)

// podAt is the n-th state of a pod.
func podAt(name string, n int) any {
	p := aPod(name)
	p.UID, p.ResourceVersion = "uid-of-"+p.UID, strconv.Itoa(n)
	p.Spec.NodeName = strconv.Itoa(n)
	return p
}

func statesIn(list []any) map[string]int {
	states := map[string]int{}
	for _, obj := range list {
		p := obj.(*pod)
		states[p.Name], _ = strconv.Atoi(p.Spec.NodeName)
	}
	return states
}

// shelf is a ReflectorStore of somebody else's, with nothing that is optional.
type shelf struct{ store Store }

func (s shelf) Add(obj any) error                        { return s.store.Add(obj) }
func (s shelf) Update(obj any) error                     { return s.store.Update(obj) }
func (s shelf) Delete(obj any) error                     { return s.store.Delete(obj) }
func (s shelf) Replace(list []any, version string) error { return s.store.Replace(list, version) }
func (s shelf) Resync() error                            { return nil }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// A store of ours is a store for the reflector beneath: a list streams in.
func TestReflectedIndexer(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Store[any] {
		store := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
		return storetest.Store[any]{
			Store: storeOf(store, quiet(), nil), Object: podAt,
			Contents: func() map[string]int { return statesIn(store.List()) },
			Version:  store.LastStoreSyncResourceVersion,
		}
	})
}

// So is one that has no more than the five methods.
func TestReflectedStoreOfSomebodyElse(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Store[any] {
		store := NewStore(MetaNamespaceKeyFunc)
		return storetest.Store[any]{
			Store: storeOf(shelf{store}, quiet(), nil), Object: podAt,
			Contents: func() map[string]int { return statesIn(store.List()) },
		}
	})
}

// Which stores take a list as it comes, and which know what they have.
func TestWhatAStoreIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		store         ReflectorStore
		streams, asks bool
	}{
		"a Store":                  {NewStore(MetaNamespaceKeyFunc), true, true},
		"an Indexer":               {NewIndexer(MetaNamespaceKeyFunc, nil), true, true},
		"a DeltaFIFO":              {NewDeltaFIFO(MetaNamespaceKeyFunc, nil), true, true},
		"a Store that transforms":  {NewStore(MetaNamespaceKeyFunc, WithTransformer(func(o any) (any, error) { return o, nil })), false, false},
		"a typed Indexer":          {IndexerOf(indexer.New(indexer.Options[*pod]{})), false, false},
		"a store of somebody else": {shelf{NewStore(MetaNamespaceKeyFunc)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeOf(c.store, quiet(), nil)
			_, asks := s.(interface{ Known(string) (any, bool) })
			require.Equal(t, c.asks, asks, "is asked what it has")
			streams := false
			switch s := s.(type) {
			case *reflectedStore:
				streams = s.list != nil
			case *reflectedQueue:
				streams = s.list != nil
			case *reflectedIndexer:
				streams = s.list != nil
			}
			require.Equal(t, c.streams, streams, "takes a list as it comes")
		})
	}
	require.Nil(t, storeOf(nil, quiet(), nil))
	require.Nil(t, storeOf((*DeltaFIFO)(nil), quiet(), nil))
}

// told notes what the optional methods are called with.
type told struct {
	shelf
	bookmarks, reached []string
	refuse             error
}

func (s *told) Bookmark(version string) error {
	s.bookmarks = append(s.bookmarks, version)
	return s.refuse
}
func (s *told) UpdateResourceVersion(version string) { s.reached = append(s.reached, version) }
func (s *told) Add(obj any) error                    { return errors.Join(s.refuse, s.shelf.Add(obj)) }

// A store hears of every version that is reached, and of bookmarks, if it wants.
// What it refuses costs the one object.
func TestAStoreIsToldVersions(t *testing.T) {
	store := &told{shelf: shelf{NewStore(MetaNamespaceKeyFunc)}}
	asked, yes := 0, false
	s := storeOf(store, quiet(), func() bool { asked++; return yes })
	require.NoError(t, s.Replace(func(yield func(any, error) bool) { yield(podAt("a", 3), nil) }, func() string { return "5" }))
	require.NoError(t, s.Add(podAt("b", 6)))
	require.NoError(t, s.Update(podAt("b", 7)))
	require.NoError(t, s.Delete(podAt("b", 8)))
	s.Bookmark("9")
	require.Equal(t, []string{"9"}, store.bookmarks)
	require.Equal(t, []string{"6", "7", "8", "9"}, store.reached, "Replace names its version itself")

	store.refuse = errors.New("the shelf is full")
	err := s.Add(podAt("c", 10))
	var only interface{ ItemOnly() bool }
	require.ErrorIs(t, err, store.refuse)
	require.True(t, errors.As(err, &only) && only.ItemOnly(), "it has cost one object")
	s.Bookmark("11") // an error here is logged, and nothing else

	require.NoError(t, s.Resync())
	yes = true
	require.NoError(t, s.Resync())
	require.Equal(t, 2, asked)
}

var _ reflector.Store[any] = (*reflectedStore)(nil)
