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

// podAt returns state n of a pod.
func podAt(name string, n int) any {
	p := newPod(name)
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

// customStore is a ReflectorStore of another package without optional methods.
type customStore struct{ store Store }

func (s customStore) Add(obj any) error { return s.store.Add(obj) }

func (s customStore) Update(obj any) error { return s.store.Update(obj) }

func (s customStore) Delete(obj any) error { return s.store.Delete(obj) }

func (s customStore) Replace(list []any, version string) error { return s.store.Replace(list, version) }

func (s customStore) Resync() error { return nil }

func discardLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// A list is streamed into a store of this package.
func TestStoreAdapterOfIndexer(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Store[any] {
		store := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
		return storetest.Store[any]{
			Store: newStoreAdapter(store, discardLogger(), nil), Object: podAt,
			Contents: func() map[string]int { return statesIn(store.List()) },
			Version:  store.LastStoreSyncResourceVersion,
		}
	})
}

// A store that has only the five methods of ReflectorStore receives whole
// lists.
func TestStoreAdapterOfCustomStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Store[any] {
		store := NewStore(MetaNamespaceKeyFunc)
		return storetest.Store[any]{
			Store: newStoreAdapter(customStore{store}, discardLogger(), nil), Object: podAt,
			Contents: func() map[string]int { return statesIn(store.List()) },
		}
	})
}

// Stores that can receive a list as a stream do so. Stores that know their
// objects are asked for them.
func TestStoreAdapterCalls(t *testing.T) {
	for name, c := range map[string]struct {
		store         ReflectorStore
		streams, asks bool
	}{
		"Store":              {NewStore(MetaNamespaceKeyFunc), true, true},
		"Indexer":            {NewIndexer(MetaNamespaceKeyFunc, nil), true, true},
		"DeltaFIFO":          {NewDeltaFIFO(MetaNamespaceKeyFunc, nil), true, true},
		"transforming Store": {NewStore(MetaNamespaceKeyFunc, WithTransformer(func(o any) (any, error) { return o, nil })), false, false},
		"typed Indexer":      {IndexerOf(indexer.New(indexer.Options[*pod]{})), false, false},
		"custom store":       {customStore{NewStore(MetaNamespaceKeyFunc)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStoreAdapter(c.store, discardLogger(), nil)
			_, asks := s.(interface{ Known(string) (any, bool) })
			require.Equal(t, c.asks, asks, "the adapter knows the objects")
			streams := false
			switch s := s.(type) {
			case *storeAdapter:
				streams = s.replaceStream != nil
			case *deltaFIFOAdapter:
				streams = s.replaceStream != nil
			case *indexerAdapter:
				streams = s.replaceStream != nil
			}
			require.Equal(t, c.streams, streams, "the adapter streams the list")
		})
	}
	require.Nil(t, newStoreAdapter(nil, discardLogger(), nil))
	require.Nil(t, newStoreAdapter((*DeltaFIFO)(nil), discardLogger(), nil))
}

// versionRecorder records the arguments of the optional methods.
type versionRecorder struct {
	customStore
	bookmarks, reached []string
	addError           error
}

func (r *versionRecorder) Bookmark(version string) error {
	r.bookmarks = append(r.bookmarks, version)
	return r.addError
}

func (r *versionRecorder) UpdateResourceVersion(version string) {
	r.reached = append(r.reached, version)
}

func (r *versionRecorder) Add(obj any) error { return errors.Join(r.addError, r.customStore.Add(obj)) }

// A store with the optional methods receives the version of each event and
// each bookmark. An error of the store affects a single object.
func TestStoreReceivesVersions(t *testing.T) {
	store := &versionRecorder{customStore: customStore{NewStore(MetaNamespaceKeyFunc)}}
	asked, yes := 0, false
	s := newStoreAdapter(store, discardLogger(), func() bool { asked++; return yes })
	require.NoError(t, s.Replace(func(yield func(any, error) bool) { yield(podAt("a", 3), nil) }, func() string { return "5" }))
	require.NoError(t, s.Add(podAt("b", 6)))
	require.NoError(t, s.Update(podAt("b", 7)))
	require.NoError(t, s.Delete(podAt("b", 8)))
	s.Bookmark("9")
	require.Equal(t, []string{"9"}, store.bookmarks)
	require.Equal(t, []string{"6", "7", "8", "9"}, store.reached, "Replace has its own version")

	store.addError = errors.New("the store is full")
	err := s.Add(podAt("c", 10))
	var only interface{ ItemOnly() bool }
	require.ErrorIs(t, err, store.addError)
	require.True(t, errors.As(err, &only) && only.ItemOnly(), "the error is for a single object")
	s.Bookmark("11") // an error is only logged

	require.NoError(t, s.Resync())
	yes = true
	require.NoError(t, s.Resync())
	require.Equal(t, 2, asked)
}

var _ reflector.Store[any] = (*storeAdapter)(nil)
