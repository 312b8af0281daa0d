package cache

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
)

// The NewInformer family is a store, and a controller that has synced when its
// handler has been told.
func TestNewInformers(t *testing.T) {
	indexers := Indexers{"version": func(obj any) ([]string, error) { return []string{obj.(partial).ResourceVersion}, nil }}
	paint := func(obj any) (any, error) {
		obj.(partial).Labels = map[string]string{"painted": "yes"}
		return obj, nil
	}
	like := &metav1.PartialObjectMetadata{}
	for name, tc := range map[string]struct {
		make             func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller)
		indexed, painted bool
	}{
		"NewInformer": {make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewInformer(lw, like, time.Minute, h)
		}},
		"NewIndexerInformer": {indexed: true, make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewIndexerInformer(lw, like, time.Minute, h, indexers)
		}},
		"NewTransformingInformer": {painted: true, make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewTransformingInformer(lw, like, time.Minute, h, paint)
		}},
		"NewTransformingIndexerInformer": {indexed: true, painted: true, make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewTransformingIndexerInformer(lw, like, time.Minute, h, indexers, paint)
		}},
		"NewInformerWithOptions": {indexed: true, painted: true, make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewInformerWithOptions(InformerOptions{ListerWatcher: lw, ObjectType: like, Handler: h, ResyncPeriod: time.Minute, Indexers: indexers, Transform: paint})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, e := newMarket("1", "a@1"), &ear{hold: make(chan struct{})}
				store, controller := tc.make(m, e)
				stop := run(t, controller)
				defer stop()
				require.Len(t, store.List(), 1)
				require.False(t, controller.HasSynced(), "the handler has not been told")
				require.False(t, IsDone(controller.HasSyncedChecker()))
				close(e.hold)
				<-controller.HasSyncedChecker().Done()
				require.True(t, controller.HasSynced())
				m.tell(watch.Modified, ware("a@2"))
				require.Equal(t, "2", controller.LastSyncResourceVersion())
				time.Sleep(61 * time.Second)
				require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@2", "update a@2 a@2"}, e.take())
				if tc.indexed {
					found, err := store.(Indexer).ByIndex("version", "2")
					require.NoError(t, err)
					require.Len(t, found, 1)
				}
				if tc.painted {
					require.Equal(t, "yes", store.List()[0].(partial).Labels["painted"])
				}
				controller.Run(nil) // logs, and returns
			})
		})
	}
}

// Without a handler there is nobody to wait for; with one that cannot be called
// nothing runs.
func TestNewInformerWithoutHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &logs{}
		logger := said.logger()
		store, controller := NewInformerWithOptions(InformerOptions{ListerWatcher: newMarket("1", "a@1")})
		defer run(t, controller)()
		require.Len(t, store.List(), 1)
		require.True(t, controller.HasSynced())
		require.True(t, IsDone(controller.HasSyncedChecker()))

		_, controller = NewInformerWithOptions(InformerOptions{ListerWatcher: newMarket("1"), Handler: (*ear)(nil), Logger: &logger})
		controller.Run(nil)
		require.Contains(t, said.String(), informer.ErrNoHandler.Error())
	})
}

// A typed informer in the hands of legacy code is the same informer.
func TestInformerOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		typed := informer.New(ToTyped[partial](m), informer.Options[partial]{Name: "wares", Logger: slog.New(slog.DiscardHandler)})
		i := InformerOf(typed)
		e, handle := listen(t, i, HandlerOptions{})
		require.NoError(t, i.AddIndexers(Indexers{"version": func(obj any) ([]string, error) { return []string{obj.(partial).ResourceVersion}, nil }}))
		require.ErrorIs(t, i.SetTransform(nil), errSettled)
		require.ErrorIs(t, i.SetWatchErrorHandler(nil), errSettled)
		stop := run(t, i)
		defer stop()
		require.True(t, i.HasSynced())
		require.True(t, handle.HasSynced())
		m.tell(watch.Modified, ware("a@2"))
		m.tell(watch.Deleted, ware("a@3"))
		m.tell(watch.Added, ware("b@4"))
		m.stock("5")
		m.expire()
		require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@2", "delete a@3", "add b@4", "delete tombstone b b@4"}, e.take())
		m.tell(watch.Added, ware("c@6"))
		stored, ok := typed.Get("c")
		require.True(t, ok)
		found, err := i.GetIndexer().ByIndex("version", "6")
		require.NoError(t, err)
		require.Same(t, stored, found[0])
		require.Equal(t, "6", i.LastSyncResourceVersion())
		refusesWrites(t, i.GetIndexer(), ware("d@9"))
		require.ErrorIs(t, i.AddIndexers(Indexers{"version": byLabel, "other": byLabel}), indexer.ErrIndexExists)
		require.Len(t, i.GetIndexer().GetIndexers(), 1)
		require.ErrorIs(t, typed.Run(context.Background()), informer.ErrRunning)
		require.NoError(t, InformerOf(typed).RemoveEventHandler(handle))
		m.tell(watch.Added, ware("d@7"))
		require.Equal(t, []string{"add c@6"}, e.take())
		i.Run(nil)
		stop()
		require.True(t, i.IsStopped())
	})
}

// refusesWrites tries every write, each of which is an error that says so, and
// none of which does anything.
func refusesWrites(t *testing.T, ix Indexer, obj any) {
	t.Helper()
	before, version := ix.ListKeys(), ix.LastStoreSyncResourceVersion()
	for write, err := range map[string]error{
		"Add":     ix.Add(obj),
		"Update":  ix.Update(obj),
		"Delete":  ix.Delete(obj),
		"Replace": ix.Replace([]any{obj}, "99"),
		"Transaction": ix.(TransactionStore).Transaction(
			Transaction{Object: obj, Type: TransactionTypeAdd}, Transaction{Object: obj, Type: TransactionTypeDelete}),
	} {
		require.ErrorIs(t, err, indexer.ErrReadOnly, write)
		require.ErrorContains(t, err, "wares", write)
	}
	require.Nil(t, ix.(TransactionStore).Transaction())
	ix.Bookmark("99")
	require.ElementsMatch(t, before, ix.ListKeys())
	require.Equal(t, version, ix.LastStoreSyncResourceVersion())
}
