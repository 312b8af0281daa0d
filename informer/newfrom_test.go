package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// anySource is a source of objects of any type. Its events are sent by the test.
type anySource struct {
	version string
	items   []any
	events  chan listwatch.Event[any]
}

func newAnySource(version string, items ...any) *anySource {
	return &anySource{version: version, items: items, events: make(chan listwatch.Event[any])}
}

func (b *anySource) List(context.Context, metav1.ListOptions) (*listwatch.List[any], error) {
	return rest.ListOf(b.version, b.items...), nil
}

func (b *anySource) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[any], error) {
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[any], error) {
		select {
		case event := <-b.events:
			return event, nil
		case <-ctx.Done():
			return listwatch.Event[any]{}, ctx.Err()
		}
	}, nil), nil
}

func (b *anySource) send(kind watch.EventType, object any) {
	_, version := metaOfAny(object)
	b.events <- listwatch.Event[any]{Type: kind, Object: object, ResourceVersion: version}
	synctest.Wait()
}

func newUnstructured(name, version string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": name, "resourceVersion": version, "uid": name},
		"spec":     map[string]any{"size": int64(1)},
	}}
}

// anyHandler returns a handler that passes a description of each callback to call.
func anyHandler(call func(string)) ResourceEventHandler[any] {
	name := func(object any) string {
		if key, err := indexer.MetaNamespaceKeyFunc(object); err == nil {
			_, version := metaOfAny(object)
			return key + "@" + version
		}
		return fmt.Sprint(object)
	}
	return ResourceEventHandlerFuncs[any]{
		AddFunc:    func(object any, initial bool) { call(fmt.Sprintf("add %s %v", name(object), initial)) },
		UpdateFunc: func(old, object any) { call(fmt.Sprintf("update %s %s", name(old), name(object))) },
		DeleteFunc: func(object any, unknown bool) { call(fmt.Sprintf("delete %s %v", name(object), unknown)) },
	}
}

// runAnyInformer runs an informer until the test calls stop. takeCalls returns the
// callbacks since its last call.
func runAnyInformer(t *testing.T, b *anySource, config StoreConfig[any], o Options[any]) (inf *SharedInformer[any], takeCalls func() []string, stop func()) {
	var mu sync.Mutex
	var lines []string
	o.PreferList, o.Logger = true, slog.New(slog.DiscardHandler)
	inf = NewFrom(b, config, o)
	_, err := inf.AddEventHandler(anyHandler(func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}), HandlerOptions{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	<-inf.Synced()
	synctest.Wait()
	return inf, func() []string {
			mu.Lock()
			defer mu.Unlock()
			defer func() { lines = nil }()
			return lines
		}, func() {
			cancel()
			require.NoError(t, <-ended)
			require.True(t, inf.State().Stopped)
		}
}

// An informer of interfaces accepts objects of any type. Key, UID and version are those
// of the object in the interface.
func TestInformerOfInterfacesAcceptsAnyType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newAnySource("2", newGadget("a@1/x"), newUnstructured("b", "2"))
		inf, takeCalls, stop := runAnyInformer(t, source, StoreConfig[any]{}, Options[any]{})
		defer stop()
		require.ElementsMatch(t, []string{"add a@1 true", "add b@2 true"}, takeCalls())

		again := newGadget("a@1/x")
		source.send(watch.Modified, again)
		require.Empty(t, takeCalls(), "a repeated event was reported")
		source.send(watch.Modified, newUnstructured("b", "2"))
		require.Empty(t, takeCalls(), "a repeated event of another type was reported")
		other := newUnstructured("b", "2")
		other.Object["spec"] = nil
		source.send(watch.Modified, other)
		require.Equal(t, []string{"update b@2 b@2"}, takeCalls(), "a change of the content with the same version")
		source.send(watch.Modified, newUnstructured("a", "3"))
		require.Equal(t, []string{"delete a@1 true", "add a@3 false"}, takeCalls(), "an object with another UID")
		source.send(watch.Deleted, newGadget("b@4/b"))
		require.Equal(t, []string{"delete b@4 false"}, takeCalls())
		require.Equal(t, "4", inf.Version())
		require.NoError(t, inf.WaitForVersion(t.Context(), "4"))
		_, err := inf.Lister().Get("none")
		require.ErrorContains(t, err, "not found")
	})
}

// An object without metadata is stored under the key of KeyFunc, and is never treated
// as a repeated event.
func TestNewFromWithoutMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures []error
		key := func(object any) (string, error) {
			if text, ok := object.(string); ok {
				return strings.ToLower(text), nil
			}
			return "", errors.New("not a string")
		}
		source := newAnySource("1", "A")
		inf, takeCalls, stop := runAnyInformer(t, source, StoreConfig[any]{KeyFunc: key}, Options[any]{
			WatchErrorHandler: func(_ context.Context, err error) { failures = append(failures, err) },
		})
		defer stop()
		source.send(watch.Modified, "A")
		source.send(watch.Added, "B")
		require.Equal(t, []string{"add A true", "update A A", "add B false"}, takeCalls())
		stored, ok := inf.Get("b")
		require.True(t, ok)
		require.Equal(t, "B", stored)
		require.Empty(t, failures)
		source.send(watch.Added, 7)
		source.send(watch.Added, nil)
		require.Len(t, failures, 2, "errors of objects without a key: %v", failures)
		for key := range inf.Keys() {
			require.Contains(t, []string{"a", "b"}, key)
		}
	})
}

// The state that other code has written to the store is the old state of the next
// notification.
func TestOldStateIsThatOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := indexer.New(indexer.Options[any]{})
		require.NoError(t, store.Add(newGadget("early@1/x")))
		source := newAnySource("2", newGadget("a@2/y"))
		inf, takeCalls, stop := runAnyInformer(t, source, StoreConfig[any]{Store: store}, Options[any]{})
		defer stop()
		require.Equal(t, []string{"add a@2 true", "delete early@1 true"}, takeCalls(), "the list deletes objects that other code has added")
		require.NoError(t, store.Add(newGadget("late@3/z")))
		_, ok := inf.Get("late")
		require.True(t, ok)
		source.send(watch.Added, newGadget("late@4/z"))
		require.Equal(t, []string{"update late@3 late@4"}, takeCalls())
	})
}

// The guard and Clone use the dynamic type of an interface.
func TestGuardUsesTheDynamicType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mutations := &mutationRecorder{}
		object := newUnstructured("b", "2")
		inf, _, stop := runAnyInformer(t, newAnySource("2", object, newGadget("a@1/x"), rest.SlimMeta{Name: "by value"}), StoreConfig[any]{
			MetaFunc: func(any) (types.UID, string) { return "", "" },
			KeyFunc:  func(object any) (string, error) { return fmt.Sprintf("%T", object), nil },
		}, Options[any]{MutationGuard: mutations.report})
		inf.shared.guard.mu.Lock()
		object.Object["spec"].(map[string]any)["size"] = int64(2)
		inf.shared.guard.mu.Unlock()
		stop()
		require.Equal(t, []string{"*unstructured.Unstructured spec.size"}, mutations.take())
	})
	object := any(newUnstructured("b", "2"))
	copied := Clone(object)
	require.Equal(t, object, copied)
	require.NotSame(t, object, copied)
	require.Equal(t, any("text"), Clone[any]("text"))
	require.Nil(t, Clone[any](nil))
}

// The first call returns the error of an invalid source.
func TestNewFromWithoutSource(t *testing.T) {
	inf := NewFrom[any](nil, StoreConfig[any]{}, Options[any]{})
	require.ErrorIs(t, inf.Run(t.Context()), ErrNoSource)
	_, err := inf.AddEventHandler(anyHandler(func(string) {}), HandlerOptions{})
	require.ErrorIs(t, err, ErrNoSource)
	require.ErrorIs(t, NewFrom((*anySource)(nil), StoreConfig[any]{}, Options[any]{}).Run(t.Context()), ErrNoSource)
	require.Equal(t, "objects of any type", inf.State().Name)
	require.False(t, inf.State().Stopped)
}

// Changed distinguishes a resync of interfaces from an update, and does not compare
// values that are not comparable.
func TestChangedDetectsResyncOfInterfaces(t *testing.T) {
	calls := 0
	h := Changed(func(any) int { return 0 }, ResourceEventHandler[any](ResourceEventHandlerFuncs[any]{
		UpdateFunc: func(any, any) { calls++ },
	}))
	object := newUnstructured("a", "1")
	h.OnUpdate(object, object)
	require.Equal(t, 1, calls, "the updates of a resync pass")
	h.OnUpdate(object, newUnstructured("a", "1"))
	h.OnUpdate(map[string]any{}, map[string]any{})
	h.OnUpdate(nil, "text")
	require.Equal(t, 1, calls)
}
