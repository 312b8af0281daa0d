package cache

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/informer"
)

// "Every event delivered, in arrival order across keys, nothing merged by
// default."
func TestInformerTellsEachEventInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i := NewSharedIndexInformer(m, &metav1.PartialObjectMetadata{}, 0, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
		first, handle := listen(t, i, HandlerOptions{})
		require.False(t, i.HasSynced())
		require.False(t, handle.HasSynced())
		defer run(t, i)()
		require.True(t, i.HasSynced())
		require.True(t, handle.HasSynced())
		require.True(t, WaitFor(t.Context(), "", i.HasSyncedChecker(), handle.HasSyncedChecker()))
		require.Equal(t, []string{"add a@1 (initial)"}, first.take())
		require.Equal(t, "1", i.LastSyncResourceVersion())

		first.hold = make(chan struct{}) // everything has to wait for it
		m.tell(watch.Added, ware("b@2"))
		m.tell(watch.Modified, ware("a@3"))
		m.tell(watch.Modified, ware("b@4"))
		m.tell(watch.Deleted, ware("a@5"))
		m.tell(watch.Modified, ware("b@6"))
		close(first.hold)
		require.Equal(t, []string{"add b@2", "update a@1 a@3", "update b@2 b@4", "delete a@5", "update b@4 b@6"}, first.take())
		require.Equal(t, []any{ware("b@6")}, i.GetStore().List())
		require.Equal(t, []string{"b"}, i.GetIndexer().ListKeys())
		require.Equal(t, "6", i.GetStore().LastStoreSyncResourceVersion())

		m.tell(watch.Modified, ware("b@6"))
		require.Empty(t, first.take(), "an event that is repeated")
		relabelled := ware("b@6")
		relabelled.Labels = map[string]string{"app": "shop"}
		m.tell(watch.Modified, relabelled)
		require.Equal(t, []string{"update b@6 b@6"}, first.take(), "the same version, and not the same")

		late, lateHandle := listen(t, i, HandlerOptions{})
		require.Equal(t, []string{"add b@6 (initial)"}, late.take())
		require.True(t, lateHandle.HasSynced())
		m.tell(watch.Added, ware("c@7"))
		require.Equal(t, []string{"add c@7"}, first.take())
		require.Equal(t, []string{"add c@7"}, late.take())
	})
}

// However many wait for a handler, each is told.
func TestInformerMergesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const updates = 1500 // more than a typed informer keeps by default
		m := newMarket("1", "a@1")
		i := NewSharedInformer(m, nil, 0)
		e, _ := listen(t, i, HandlerOptions{})
		defer run(t, i)()
		e.take()
		e.hold = make(chan struct{})
		for n := range updates {
			next := ware("a@1")
			next.ResourceVersion = strconv.Itoa(2 + n)
			m.tell(watch.Modified, next)
		}
		close(e.hold)
		heard := e.take()
		require.Len(t, heard, updates)
		require.Equal(t, "update a@1500 a@1501", heard[updates-1])
	})
}

// What a list no longer has is deleted with a tombstone; another UID is another
// object; what is unchanged is told to nobody.
func TestInformerRelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("3", "a@1", "b@2", "c@3")
		i := NewSharedInformer(m, nil, 0)
		e, _ := listen(t, i, HandlerOptions{})
		defer run(t, i)()
		require.Len(t, e.take(), 3)
		m.stock("6", "b@2", "c@5/other", "d@6")
		m.expire()
		require.Equal(t, []string{"add c@5", "add d@6", "delete tombstone a a@1", "delete tombstone c c@3"}, sorted(e.take()))
	})
}

// "Strings and ints as objects": what is in a list and is no object of the
// expected type is reported, and costs only itself.
func TestInformerRefusesOtherTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i := NewSharedInformer(m, &metav1.PartialObjectMetadata{}, 0)
		e, _ := listen(t, i, HandlerOptions{})
		var failures []error
		require.NoError(t, i.SetWatchErrorHandler(func(_ *Reflector, err error) { failures = append(failures, err) }))
		defer run(t, i)()
		other := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "x", "resourceVersion": "2"}}}
		m.tell(watch.Added, other)
		m.tell(watch.Added, ware("b@3"))
		require.Equal(t, []string{"add a@1 (initial)", "add b@3"}, e.take())
		require.Len(t, failures, 1)
		require.ErrorContains(t, failures[0], "unstructured.Unstructured")
	})
}

// "On stop undelivered notifications are dropped", and no callback comes after
// Run has returned.
func TestInformerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i := NewSharedInformer(m, nil, 0)
		require.False(t, i.IsStopped())
		e, handle := listen(t, i, HandlerOptions{})
		e.hold = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			i.Run(ctx.Done())
		}()
		synctest.Wait()
		m.tell(watch.Added, ware("b@2"))
		cancel()
		synctest.Wait()
		select {
		case <-returned:
			t.Fatal("Run has not waited for a callback")
		default:
		}
		close(e.hold)
		<-returned
		require.Equal(t, []string{"add a@1 (initial)"}, e.take(), "b waited, and is dropped")
		require.True(t, i.IsStopped())
		require.Len(t, i.GetStore().List(), 2, "what is stored can be read")
		require.NoError(t, i.RemoveEventHandler(handle))
		require.NoError(t, ShutDownEventHandler(i, handle))
		_, err := i.AddEventHandler(&ear{})
		require.ErrorIs(t, err, informer.ErrStopped)
		require.ErrorIs(t, i.(SharedIndexInformer).AddIndexers(Indexers{}), informer.ErrStopped)
		i.Run(nil) // returns
	})
}

// An informer that runs refuses what has to be set before, and to run again.
func TestInformerIsSettledWhenItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewSharedInformer(newMarket("1"), nil, 0)
		require.NoError(t, i.SetTransform(nil))
		require.NoError(t, i.SetWatchErrorHandler(nil))
		defer run(t, i)()
		require.ErrorIs(t, i.SetTransform(func(obj any) (any, error) { return obj, nil }), errBegun)
		require.ErrorIs(t, i.SetWatchErrorHandler(func(*Reflector, error) {}), errBegun)
		require.ErrorIs(t, i.SetWatchErrorHandlerWithContext(func(context.Context, *Reflector, error) {}), errBegun)
		i.RunWithContext(t.Context()) // returns
		require.False(t, i.IsStopped())

		view := i.GetController()
		view.Run(nil)
		view.RunWithContext(t.Context())
		require.True(t, view.HasSynced())
		require.True(t, IsDone(view.HasSyncedChecker()))
		require.Equal(t, "1", view.LastSyncResourceVersion())
	})
}

// RemoveEventHandler is idempotent, does not wait, and begins no other callback;
// ShutDownEventHandler waits.
func TestInformerRemovesHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i, other := NewSharedInformer(m, nil, 0), NewSharedInformer(newMarket("1"), nil, 0)
		never, neverHandle := listen(t, i, HandlerOptions{})
		require.NoError(t, ShutDownEventHandler(i, neverHandle), "it has never run")
		slow, slowHandle := listen(t, i, HandlerOptions{})
		slow.hold = make(chan struct{})
		quick, quickHandle := listen(t, i, HandlerOptions{})
		defer run(t, i)()
		m.tell(watch.Added, ware("b@2"))
		require.NoError(t, i.RemoveEventHandler(slowHandle))
		require.NoError(t, i.RemoveEventHandler(slowHandle))
		gone := make(chan error, 1)
		go func() { gone <- ShutDownEventHandler(i, slowHandle) }()
		synctest.Wait()
		require.Empty(t, gone, "a callback runs")
		close(slow.hold)
		require.NoError(t, <-gone)
		require.Equal(t, []string{"add a@1 (initial)"}, slow.take())
		require.False(t, slowHandle.HasSynced())

		require.NoError(t, other.RemoveEventHandler(quickHandle), "it is not there")
		m.tell(watch.Deleted, ware("b@3"))
		require.Equal(t, []string{"add a@1 (initial)", "add b@2", "delete b@3"}, quick.take())
		require.Empty(t, never.take())
		require.ErrorContains(t, i.RemoveEventHandler(strange{}), "cache.strange")
		require.ErrorContains(t, i.RemoveEventHandler(nil), "nil")
		require.ErrorContains(t, ShutDownEventHandler(anything{i}, strange{}), "cache.strange")
	})
}

type strange struct {
	ResourceEventHandlerRegistration
}

// anything is an informer that takes any handle.
type anything struct{ SharedInformer }

func (anything) RemoveEventHandler(ResourceEventHandlerRegistration) error { return nil }

// A handler's resync period is its own.
func TestInformerResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewSharedInformer(newMarket("1", "a@1"), nil, 10*time.Minute)
		standard, _ := listen(t, i, HandlerOptions{})
		quick, err := &ear{}, error(nil)
		_, err = i.AddEventHandlerWithResyncPeriod(quick, time.Minute)
		require.NoError(t, err)
		never, negative := time.Duration(0), -time.Second
		silent, _ := listen(t, i, HandlerOptions{ResyncPeriod: &never})
		odd, _ := listen(t, i, HandlerOptions{ResyncPeriod: &negative})
		defer run(t, i)()
		for _, e := range []*ear{standard, quick, silent, odd} {
			require.Equal(t, []string{"add a@1 (initial)"}, e.take())
		}
		time.Sleep(61 * time.Second)
		require.Equal(t, []string{"update a@1 a@1"}, quick.take())
		require.Empty(t, standard.take())
		time.Sleep(9 * time.Minute)
		require.Len(t, quick.take(), 9)
		require.Equal(t, []string{"update a@1 a@1"}, standard.take())
		require.Empty(t, silent.take())
		require.Empty(t, odd.take())
	})
}

// A transform changes what is stored; where it fails, what was stored stays, and
// the watch error handler is told, with a view of the reflector.
func TestInformerTransforms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i := NewSharedIndexInformerWithOptions(m, &metav1.PartialObjectMetadata{}, SharedIndexInformerOptions{ObjectDescription: "wares"})
		e, _ := listen(t, i, HandlerOptions{})
		broken := errors.New("broken")
		require.NoError(t, i.SetTransform(func(obj any) (any, error) {
			w := obj.(*metav1.PartialObjectMetadata)
			w.Labels = map[string]string{"seen": w.ResourceVersion}
			if w.ResourceVersion == "2" {
				return nil, broken
			}
			return w, nil
		}))
		var failed error
		require.NoError(t, i.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *Reflector, err error) {
			require.NoError(t, ctx.Err())
			require.Equal(t, "wares", r.TypeDescription())
			require.Equal(t, "wares", r.Name())
			require.NotEmpty(t, r.LastSyncResourceVersion())
			failed = err
		}))
		defer run(t, i)()
		m.tell(watch.Modified, ware("a@2"))
		require.ErrorIs(t, failed, broken)
		m.tell(watch.Modified, ware("a@3"))
		require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@3"}, e.take())
		stored, exists, err := i.GetStore().Get(ware("a@9"))
		require.NoError(t, err)
		require.True(t, exists)
		require.Equal(t, "3", stored.(*metav1.PartialObjectMetadata).Labels["seen"])
	})
}

// With MaxPending, what waits is merged.
func TestInformerMergesIfAskedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1", "a@1")
		i := NewSharedInformer(m, nil, 0)
		e, _ := listen(t, i, HandlerOptions{MaxPending: 1})
		defer run(t, i)()
		e.take()
		e.hold = make(chan struct{})
		for _, words := range []string{"a@2", "a@3", "a@4", "a@5", "a@6"} {
			m.tell(watch.Modified, ware(words))
		}
		close(e.hold)
		require.Equal(t, []string{"update a@1 a@2", "update a@2 a@6"}, e.take())
	})
}

// "Nil stores, wrong types": what cannot be told is an error when it is added.
func TestInformerRefusesHandlers(t *testing.T) {
	i := NewSharedInformer(newMarket("1"), nil, 0)
	for name, handler := range map[string]ResourceEventHandler{
		"nil":                       nil,
		"a nil pointer":             (*ear)(nil),
		"a filter of nothing":       FilteringResourceEventHandler{},
		"a filter of a filter":      FilteringResourceEventHandler{Handler: &FilteringResourceEventHandler{}},
		"a typed nil":               &typedHandler[*metav1.PartialObjectMetadata]{},
		"a typed filter of nothing": &typedHandler[*metav1.PartialObjectMetadata]{TypedFilteringResourceEventHandler[*metav1.PartialObjectMetadata]{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := i.AddEventHandler(handler)
			require.ErrorIs(t, err, informer.ErrNoHandler)
		})
	}
	_, err := NewSharedInformer(nil, nil, 0).AddEventHandler(&ear{})
	require.ErrorIs(t, err, informer.ErrNoSource)
	NewSharedInformer(nil, nil, 0).Run(nil) // logs, and returns
}

// What is written to the store of an informer is what the next event is compared
// with, and what tests that never run it read.
func TestInformerStoreCanBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket("1")
		i := NewSharedIndexInformer(m, nil, 0, Indexers{"color": byLabel})
		e, _ := listen(t, i, HandlerOptions{})
		require.NoError(t, i.GetIndexer().Add(ware("a@1")))
		require.NoError(t, i.AddIndexers(Indexers{"again": byLabel}))
		require.Len(t, i.GetStore().List(), 1)
		defer run(t, i)()
		require.NoError(t, i.GetIndexer().Add(ware("b@2")))
		m.tell(watch.Added, ware("b@3"))
		require.Equal(t, []string{"delete tombstone a a@1", "update b@2 b@3"}, e.take())
	})
}

func byLabel(obj any) ([]string, error) {
	return []string{obj.(metav1.Object).GetLabels()["color"]}, nil
}

// Problems are logged to the logger of the context that the informer runs with.
func TestInformerLogsWhereItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, during := &logs{}, &logs{}
		i := newSharedInformer(newMarket("1"), nil, SharedIndexInformerOptions{}, informerExtras{})
		logger := i.logger.slog().With("a", 1).WithGroup("g").With("b", 2)
		i.logger.set(before.logger())
		logger.Info("early")
		ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), during.logger()))
		defer synctest.Wait()
		defer cancel()
		go i.RunWithContext(ctx)
		synctest.Wait()
		logger.Info("later")
		require.Equal(t, []string{`"level"=0 "msg"="early" "a"=1 "g"={"b"=2}`}, before.lines)
		require.Equal(t, []string{`"level"=0 "msg"="later" "a"=1 "g"={"b"=2}`}, during.lines)
	})
}
