package cache

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/informer"
)

// The NewInformer functions return a store and a controller. The controller
// has synced when its handler has processed the initial list.
func TestNewInformers(t *testing.T) {
	indexers := Indexers{"version": func(obj any) ([]string, error) { return []string{obj.(partial).ResourceVersion}, nil }}
	paint := func(obj any) (any, error) {
		obj.(partial).Labels = map[string]string{"transformed": "yes"}
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
				source, handler := newFakeSource("1", "a@1"), &recorder{hold: make(chan struct{})}
				store, controller := tc.make(source, handler)
				stop := run(t, controller)
				defer stop()
				require.Len(t, store.List(), 1)
				require.False(t, controller.HasSynced(), "before the handler has processed the list")
				require.False(t, IsDone(controller.HasSyncedChecker()))
				close(handler.hold)
				<-controller.HasSyncedChecker().Done()
				require.True(t, controller.HasSynced())
				source.send(watch.Modified, newObject("a@2"))
				require.Equal(t, "2", controller.LastSyncResourceVersion())
				time.Sleep(61 * time.Second)
				require.Equal(t, []string{"add a@1 (initial)", "update a@1 a@2", "update a@2 a@2"}, handler.take())
				if tc.indexed {
					found, err := store.(Indexer).ByIndex("version", "2")
					require.NoError(t, err)
					require.Len(t, found, 1)
				}
				if tc.painted {
					require.Equal(t, "yes", store.List()[0].(partial).Labels["transformed"])
				}
				controller.Run(nil) // logs a warning and returns
			})
		})
	}
}

// Without a handler the controller has synced when the store has. With an
// invalid handler Run returns.
func TestNewInformerWithoutHandlerSyncsWithStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := &logRecorder{}
		logger := logs.logger()
		store, controller := NewInformerWithOptions(InformerOptions{ListerWatcher: newFakeSource("1", "a@1")})
		defer run(t, controller)()
		require.Len(t, store.List(), 1)
		require.True(t, controller.HasSynced())
		require.True(t, IsDone(controller.HasSyncedChecker()))

		_, controller = NewInformerWithOptions(InformerOptions{ListerWatcher: newFakeSource("1"), Handler: (*recorder)(nil), Logger: &logger})
		controller.Run(nil)
		require.Contains(t, logs.String(), informer.ErrNoHandler.Error())
	})
}
