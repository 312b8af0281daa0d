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

// Every event is delivered in the order of arrival, across keys, and none is
// merged by default.
func TestInformerDeliversEachEventInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i := NewSharedIndexInformer(source, &metav1.PartialObjectMetadata{}, 0, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
		first, handle := addRecorder(t, i, HandlerOptions{})
		require.False(t, i.HasSynced())
		require.False(t, handle.HasSynced())
		defer run(t, i)()
		require.True(t, i.HasSynced())
		require.True(t, handle.HasSynced())
		require.True(t, WaitFor(t.Context(), "", i.HasSyncedChecker(), handle.HasSyncedChecker()))
		require.Equal(t, []string{"add a@1 (initial)"}, first.take())
		require.Equal(t, "1", i.LastSyncResourceVersion())

		first.hold = make(chan struct{}) // blocks the first handler
		source.send(watch.Added, newObject("b@2"))
		source.send(watch.Modified, newObject("a@3"))
		source.send(watch.Modified, newObject("b@4"))
		source.send(watch.Deleted, newObject("a@5"))
		source.send(watch.Modified, newObject("b@6"))
		close(first.hold)
		require.Equal(t, []string{"add b@2", "update a@1 a@3", "update b@2 b@4", "delete a@5", "update b@4 b@6"}, first.take())
		require.Equal(t, []any{newObject("b@6")}, i.GetStore().List())
		require.Equal(t, []string{"b"}, i.GetIndexer().ListKeys())
		require.Equal(t, "6", i.GetStore().LastStoreSyncResourceVersion())

		source.send(watch.Modified, newObject("b@6"))
		require.Equal(t, []string{"update b@6 b@6"}, first.take(), "a repeated event of a source without ordered versions")
		relabelled := newObject("b@6")
		relabelled.Labels = map[string]string{"app": "shop"}
		source.send(watch.Modified, relabelled)
		require.Equal(t, []string{"update b@6 b@6"}, first.take(), "another object with the same version")

		late, lateHandle := addRecorder(t, i, HandlerOptions{})
		require.Equal(t, []string{"add b@6 (initial)"}, late.take())
		require.True(t, lateHandle.HasSynced())
		source.send(watch.Added, newObject("c@7"))
		require.Equal(t, []string{"add c@7"}, first.take())
		require.Equal(t, []string{"add c@7"}, late.take())
	})
}

// A handler receives every event, however many are pending.
func TestInformerDoesNotMergeByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const updates = 1500 // more than the default MaxPending of a typed informer
		source := newFakeSource("1", "a@1")
		i := NewSharedInformer(source, nil, 0)
		handler, _ := addRecorder(t, i, HandlerOptions{})
		defer run(t, i)()
		handler.take()
		handler.hold = make(chan struct{})
		for n := range updates {
			next := newObject("a@1")
			next.ResourceVersion = strconv.Itoa(2 + n)
			source.send(watch.Modified, next)
		}
		close(handler.hold)
		received := handler.take()
		require.Len(t, received, updates)
		require.Equal(t, "update a@1500 a@1501", received[updates-1])
	})
}

// A relist deletes missing objects with a tombstone. An object with another
// UID is another object. Unchanged objects are not reported.
func TestInformerRelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("3", "a@1", "b@2", "c@3")
		i := NewSharedInformer(source, nil, 0)
		handler, _ := addRecorder(t, i, HandlerOptions{})
		defer run(t, i)()
		require.Len(t, handler.take(), 3)
		source.setList("6", "b@2", "c@5/other", "d@6")
		source.expire()
		require.Equal(t, []string{"add c@5", "add d@6", "delete tombstone a a@1", "delete tombstone c c@3"}, sorted(handler.take()))
	})
}

// An item that is not of the expected type is reported and affects no other
// item.
func TestInformerRejectsOtherTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i := NewSharedInformer(source, &metav1.PartialObjectMetadata{}, 0)
		handler, _ := addRecorder(t, i, HandlerOptions{})
		var failures []error
		require.NoError(t, i.SetWatchErrorHandler(func(_ *Reflector, err error) { failures = append(failures, err) }))
		defer run(t, i)()
		other := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "x", "resourceVersion": "2"}}}
		source.send(watch.Added, other)
		source.send(watch.Added, newObject("b@3"))
		require.Equal(t, []string{"add a@1 (initial)", "add b@3"}, handler.take())
		require.Len(t, failures, 1)
		require.ErrorContains(t, failures[0], "unstructured.Unstructured")
	})
}

// Pending notifications are dropped on stop. No callback begins after Run has
// returned.
func TestNoCallbackAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i := NewSharedInformer(source, nil, 0)
		require.False(t, i.IsStopped())
		handler, handle := addRecorder(t, i, HandlerOptions{})
		handler.hold = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			i.Run(ctx.Done())
		}()
		synctest.Wait()
		source.send(watch.Added, newObject("b@2"))
		cancel()
		synctest.Wait()
		select {
		case <-returned:
			t.Fatal("Run returned during a callback")
		default:
		}
		close(handler.hold)
		<-returned
		require.Equal(t, []string{"add a@1 (initial)"}, handler.take(), "the pending notification of b is dropped")
		require.True(t, i.IsStopped())
		require.Len(t, i.GetStore().List(), 2, "the store after the end")
		require.NoError(t, i.RemoveEventHandler(handle))
		require.NoError(t, ShutDownEventHandler(i, handle))
		_, err := i.AddEventHandler(&recorder{})
		require.ErrorIs(t, err, informer.ErrStopped)
		require.ErrorIs(t, i.(SharedIndexInformer).AddIndexers(Indexers{}), informer.ErrStopped)
		i.Run(nil) // returns
	})
}

// After Run has started, the options cannot be changed, and a second Run
// returns.
func TestInformerOptionsCannotChangeAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewSharedInformer(newFakeSource("1"), nil, 0)
		require.NoError(t, i.SetTransform(nil))
		require.NoError(t, i.SetWatchErrorHandler(nil))
		defer run(t, i)()
		require.ErrorIs(t, i.SetTransform(func(obj any) (any, error) { return obj, nil }), errStarted)
		require.ErrorIs(t, i.SetWatchErrorHandler(func(*Reflector, error) {}), errStarted)
		require.ErrorIs(t, i.SetWatchErrorHandlerWithContext(func(context.Context, *Reflector, error) {}), errStarted)
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

// RemoveEventHandler is idempotent, does not wait, and no further callback
// begins. ShutDownEventHandler waits.
func TestInformerRemovesHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i, other := NewSharedInformer(source, nil, 0), NewSharedInformer(newFakeSource("1"), nil, 0)
		never, neverHandle := addRecorder(t, i, HandlerOptions{})
		require.NoError(t, ShutDownEventHandler(i, neverHandle), "the informer has not run")
		slow, slowHandle := addRecorder(t, i, HandlerOptions{})
		slow.hold = make(chan struct{})
		quick, quickHandle := addRecorder(t, i, HandlerOptions{})
		defer run(t, i)()
		source.send(watch.Added, newObject("b@2"))
		require.NoError(t, i.RemoveEventHandler(slowHandle))
		require.NoError(t, i.RemoveEventHandler(slowHandle))
		gone := make(chan error, 1)
		go func() { gone <- ShutDownEventHandler(i, slowHandle) }()
		synctest.Wait()
		require.Empty(t, gone, "ShutDownEventHandler returned during a callback")
		close(slow.hold)
		require.NoError(t, <-gone)
		require.Equal(t, []string{"add a@1 (initial)"}, slow.take())
		require.False(t, slowHandle.HasSynced())

		require.NoError(t, other.RemoveEventHandler(quickHandle), "a handler of another informer")
		source.send(watch.Deleted, newObject("b@3"))
		require.Equal(t, []string{"add a@1 (initial)", "add b@2", "delete b@3"}, quick.take())
		require.Empty(t, never.take())
		require.ErrorContains(t, i.RemoveEventHandler(foreignRegistration{}), "cache.foreignRegistration")
		require.ErrorContains(t, i.RemoveEventHandler(nil), "nil")
		require.ErrorContains(t, ShutDownEventHandler(permissiveInformer{i}, foreignRegistration{}), "cache.foreignRegistration")
	})
}

type foreignRegistration struct {
	ResourceEventHandlerRegistration
}

// permissiveInformer accepts every registration.
type permissiveInformer struct{ SharedInformer }

func (permissiveInformer) RemoveEventHandler(ResourceEventHandlerRegistration) error { return nil }

// Each handler has its own resync period.
func TestInformerResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewSharedInformer(newFakeSource("1", "a@1"), nil, 10*time.Minute)
		standard, _ := addRecorder(t, i, HandlerOptions{})
		quick, err := &recorder{}, error(nil)
		_, err = i.AddEventHandlerWithResyncPeriod(quick, time.Minute)
		require.NoError(t, err)
		never, negative := time.Duration(0), -time.Second
		silent, _ := addRecorder(t, i, HandlerOptions{ResyncPeriod: &never})
		odd, _ := addRecorder(t, i, HandlerOptions{ResyncPeriod: &negative})
		defer run(t, i)()
		for _, handler := range []*recorder{standard, quick, silent, odd} {
			require.Equal(t, []string{"add a@1 (initial)"}, handler.take())
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

// A transform changes the stored object. If it fails, the stored state is
// kept, and the watch error handler receives the error with a view of the
// reflector.
func TestInformerTransforms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i := NewSharedIndexInformerWithOptions(source, &metav1.PartialObjectMetadata{}, SharedIndexInformerOptions{ObjectDescription: "shop"})
		handler, _ := addRecorder(t, i, HandlerOptions{})
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
			require.Equal(t, "shop", r.TypeDescription())
			require.Equal(t, "shop", r.Name())
			require.NotEmpty(t, r.LastSyncResourceVersion())
			failed = err
		}))
		defer run(t, i)()
		source.send(watch.Modified, newObject("a@2"))
		require.ErrorIs(t, failed, broken)
		source.send(watch.Modified, newObject("a@3"))
		require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@3"}, handler.take())
		stored, exists, err := i.GetStore().Get(newObject("a@9"))
		require.NoError(t, err)
		require.True(t, exists)
		require.Equal(t, "3", stored.(*metav1.PartialObjectMetadata).Labels["seen"])
	})
}

// With MaxPending, pending notifications are merged.
func TestInformerMergesBeyondMaxPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i := NewSharedInformer(source, nil, 0)
		handler, _ := addRecorder(t, i, HandlerOptions{MaxPending: 1})
		defer run(t, i)()
		handler.take()
		handler.hold = make(chan struct{})
		for _, object := range []string{"a@2", "a@3", "a@4", "a@5", "a@6"} {
			source.send(watch.Modified, newObject(object))
		}
		close(handler.hold)
		require.Equal(t, []string{"update a@1 a@2", "update a@2 a@6"}, handler.take())
	})
}

// A handler that cannot be called is an error when it is added.
func TestInformerRejectsInvalidHandlers(t *testing.T) {
	i := NewSharedInformer(newFakeSource("1"), nil, 0)
	for name, handler := range map[string]ResourceEventHandler{
		"nil":                                  nil,
		"nil pointer":                          (*recorder)(nil),
		"filter without a handler":             FilteringResourceEventHandler{},
		"filter in a filter without a handler": FilteringResourceEventHandler{Handler: &FilteringResourceEventHandler{}},
		"typed nil":                            &typedHandler[*metav1.PartialObjectMetadata]{},
		"typed filter without a handler":       &typedHandler[*metav1.PartialObjectMetadata]{TypedFilteringResourceEventHandler[*metav1.PartialObjectMetadata]{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := i.AddEventHandler(handler)
			require.ErrorIs(t, err, informer.ErrNoHandler)
		})
	}
	_, err := NewSharedInformer(nil, nil, 0).AddEventHandler(&recorder{})
	require.ErrorIs(t, err, informer.ErrNoSource)
	NewSharedInformer(nil, nil, 0).Run(nil) // logs an error and returns
}

// An object that is written to the store of an informer is the old state of
// the next event. Tests that never run the informer read it.
func TestInformerStoreIsWritable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1")
		i := NewSharedIndexInformer(source, nil, 0, Indexers{"color": byColorLabel})
		handler, _ := addRecorder(t, i, HandlerOptions{})
		require.NoError(t, i.GetIndexer().Add(newObject("a@1")))
		require.NoError(t, i.AddIndexers(Indexers{"again": byColorLabel}))
		require.Len(t, i.GetStore().List(), 1)
		defer run(t, i)()
		require.NoError(t, i.GetIndexer().Add(newObject("b@2")))
		source.send(watch.Added, newObject("b@3"))
		require.Equal(t, []string{"delete tombstone a a@1", "update b@2 b@3"}, handler.take())
	})
}

func byColorLabel(obj any) ([]string, error) {
	return []string{obj.(metav1.Object).GetLabels()["color"]}, nil
}

// Problems are logged to the logger of the context of Run.
func TestInformerUsesLoggerOfRunContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, during := &logRecorder{}, &logRecorder{}
		i := newSharedInformer(newFakeSource("1"), nil, SharedIndexInformerOptions{}, informerExtras{})
		logger := i.logger.Slog().With("a", 1).WithGroup("g").With("b", 2)
		i.logger.Set(before.logger())
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

// The typed form and the informer share their data.
func TestTypedSharedIndexInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("1", "a@1")
		i := NewTypedSharedIndexInformer[partial](NewSharedIndexInformer(source, &metav1.PartialObjectMetadata{}, 0, nil))
		typed := &typedRecorder{}
		_, err := i.AddTypedEventHandler(typed)
		require.NoError(t, err)
		_, err = i.AddTypedEventHandler(typed, HandlerOptions{}, HandlerOptions{})
		require.ErrorContains(t, err, "2")
		require.NoError(t, i.AddTypedIndexers(TypedIndexers[partial]{"version": func(obj partial) ([]string, error) { return []string{obj.ResourceVersion}, nil }}))
		defer run(t, i)()
		source.send(watch.Modified, newObject("a@2"))
		source.send(watch.Deleted, newObject("a@3"))
		require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@2", "delete a@3 a"}, typed.take())
		source.send(watch.Added, newObject("b@4"))
		found, err := i.GetTypedIndexer().ByTypedIndex("version", "4")
		require.NoError(t, err)
		require.Equal(t, []partial{newObject("b@4")}, found)
	})
}
