package cache

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
)

// InformerOf and the typed informer are the same informer.
func TestInformerOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		typed := informer.New(ToTyped[partial](source), informer.Options[partial]{Name: "shop", Logger: slog.New(slog.DiscardHandler)})
		i := InformerOf(typed)
		handler, handle := addRecorder(t, i, HandlerOptions{})
		require.NoError(t, i.AddIndexers(Indexers{"version": func(obj any) ([]string, error) { return []string{obj.(partial).ResourceVersion}, nil }}))
		require.ErrorIs(t, i.SetTransform(nil), errTypedInformer)
		require.ErrorIs(t, i.SetWatchErrorHandler(nil), errTypedInformer)
		stop := run(t, i)
		defer stop()
		require.True(t, i.HasSynced())
		require.True(t, handle.HasSynced())
		source.send(watch.Modified, newObject("a@2"))
		source.send(watch.Deleted, newObject("a@3"))
		source.send(watch.Added, newObject("b@4"))
		source.setList("5")
		source.expire()
		require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@2", "delete a@3", "add b@4", "delete tombstone b b@4"}, handler.take())
		source.send(watch.Added, newObject("c@6"))
		stored, ok := typed.Get("c")
		require.True(t, ok)
		found, err := i.GetIndexer().ByIndex("version", "6")
		require.NoError(t, err)
		require.Same(t, stored, found[0])
		require.Equal(t, "6", i.LastSyncResourceVersion())
		checkReadOnly(t, i.GetIndexer(), newObject("d@9"))
		require.ErrorIs(t, i.AddIndexers(Indexers{"version": byColorLabel, "other": byColorLabel}), indexer.ErrIndexExists)
		require.Len(t, i.GetIndexer().GetIndexers(), 1)
		require.ErrorIs(t, typed.Run(context.Background()), informer.ErrRunning)
		require.NoError(t, InformerOf(typed).RemoveEventHandler(handle))
		source.send(watch.Added, newObject("d@7"))
		require.Equal(t, []string{"add c@6"}, handler.take())
		i.Run(nil)
		stop()
		require.True(t, i.IsStopped())
	})
}

// checkReadOnly checks that each write returns an error and has no effect.
func checkReadOnly(t *testing.T, ix Indexer, obj any) {
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
		require.ErrorContains(t, err, "shop", write)
	}
	require.Nil(t, ix.(TransactionStore).Transaction())
	ix.Bookmark("99")
	require.ElementsMatch(t, before, ix.ListKeys())
	require.Equal(t, version, ix.LastStoreSyncResourceVersion())
}
