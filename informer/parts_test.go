package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
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

// bazaar is a source of objects of any type, played by hand.
type bazaar struct {
	version string
	items   []any
	events  chan listwatch.Event[any]
}

func aBazaar(version string, items ...any) *bazaar {
	return &bazaar{version: version, items: items, events: make(chan listwatch.Event[any])}
}

func (b *bazaar) List(context.Context, metav1.ListOptions) (*listwatch.List[any], error) {
	return rest.ListOf(b.version, b.items...), nil
}

func (b *bazaar) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[any], error) {
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[any], error) {
		select {
		case event := <-b.events:
			return event, nil
		case <-ctx.Done():
			return listwatch.Event[any]{}, ctx.Err()
		}
	}, nil), nil
}

func (b *bazaar) tell(kind watch.EventType, object any) {
	_, version := metaOfAny(object)
	b.events <- listwatch.Event[any]{Type: kind, Object: object, ResourceVersion: version}
	synctest.Wait()
}

func loose(name, version string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": name, "resourceVersion": version, "uid": name},
		"spec":     map[string]any{"size": int64(1)},
	}}
}

// hearer is what a handler of anything hears.
func hearer(say func(string)) ResourceEventHandler[any] {
	name := func(object any) string {
		if key, err := indexer.MetaNamespaceKeyFunc(object); err == nil {
			_, version := metaOfAny(object)
			return key + "@" + version
		}
		return fmt.Sprint(object)
	}
	return ResourceEventHandlerFuncs[any]{
		AddFunc:    func(object any, initial bool) { say(fmt.Sprintf("add %s %v", name(object), initial)) },
		UpdateFunc: func(old, object any) { say(fmt.Sprintf("update %s %s", name(old), name(object))) },
		DeleteFunc: func(object any, unknown bool) { say(fmt.Sprintf("delete %s %v", name(object), unknown)) },
	}
}

// runFrom runs an informer of a bazaar until the test calls stop.
func runFrom(t *testing.T, b *bazaar, parts Parts[any], o Options[any]) (inf *SharedInformer[any], heard func() []string, stop func()) {
	var mu sync.Mutex
	var lines []string
	o.PreferList, o.Logger = true, slog.New(slog.DiscardHandler)
	inf = NewFrom(b, parts, o)
	_, err := inf.AddEventHandler(hearer(func(line string) {
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

// An informer of interfaces takes objects of any types, whose key, UID and
// version are those of the object that is in the interface.
func TestNewFromTakesObjectsOfAnyType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := aBazaar("2", aGadget("a@1/x"), loose("b", "2"))
		inf, heard, stop := runFrom(t, b, Parts[any]{}, Options[any]{})
		defer stop()
		require.ElementsMatch(t, []string{"add a@1 true", "add b@2 true"}, heard())

		again := aGadget("a@1/x")
		b.tell(watch.Modified, again)
		require.Empty(t, heard(), "an event that repeats what is known tells nobody")
		b.tell(watch.Modified, loose("b", "2"))
		require.Empty(t, heard(), "whatever the object's type")
		other := loose("b", "2")
		other.Object["spec"] = nil
		b.tell(watch.Modified, other)
		require.Equal(t, []string{"update b@2 b@2"}, heard(), "the same version with other content is news")
		b.tell(watch.Modified, loose("a", "3"))
		require.Equal(t, []string{"delete a@1 true", "add a@3 false"}, heard(), "another UID is another object")
		b.tell(watch.Deleted, aGadget("b@4/b"))
		require.Equal(t, []string{"delete b@4 false"}, heard())
		require.Equal(t, "4", inf.Version())
		require.NoError(t, inf.WaitForVersion(t.Context(), "4"))
		_, err := inf.Lister().Get("none")
		require.ErrorContains(t, err, "not found")
	})
}

// What has no metadata is stored under the key that a KeyFunc says, and is
// never taken for a repetition.
func TestNewFromTakesObjectsWithoutMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures []error
		key := func(object any) (string, error) {
			if text, ok := object.(string); ok {
				return strings.ToLower(text), nil
			}
			return "", errors.New("no text")
		}
		b := aBazaar("1", "A")
		inf, heard, stop := runFrom(t, b, Parts[any]{KeyFunc: key}, Options[any]{
			WatchErrorHandler: func(_ context.Context, err error) { failures = append(failures, err) },
		})
		defer stop()
		b.tell(watch.Modified, "A")
		b.tell(watch.Added, "B")
		require.Equal(t, []string{"add A true", "update A A", "add B false"}, heard())
		stored, ok := inf.Get("b")
		require.True(t, ok)
		require.Equal(t, "B", stored)
		require.Empty(t, failures)
		b.tell(watch.Added, 7)
		b.tell(watch.Added, nil)
		require.Len(t, failures, 2, "what has no key is told, and not stored: %v", failures)
		for key := range inf.Keys() {
			require.Contains(t, []string{"a", "b"}, key)
		}
	})
}

// What others write to the store counts as what was there before the next
// event.
func TestOthersMayWriteToTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := indexer.New(indexer.Options[any]{})
		require.NoError(t, store.Add(aGadget("early@1/x")))
		b := aBazaar("2", aGadget("a@2/y"))
		inf, heard, stop := runFrom(t, b, Parts[any]{Store: store}, Options[any]{})
		defer stop()
		require.Equal(t, []string{"add a@2 true", "delete early@1 true"}, heard(), "a list says all that there is")
		require.NoError(t, store.Add(aGadget("late@3/z")))
		_, ok := inf.Get("late")
		require.True(t, ok)
		b.tell(watch.Added, aGadget("late@4/z"))
		require.Equal(t, []string{"update late@3 late@4"}, heard())
	})
}

// The guard, and Clone, go by what is in the interface.
func TestGuardOfObjectsOfAnyType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &complaints{}
		object := loose("b", "2")
		inf, _, stop := runFrom(t, aBazaar("2", object, aGadget("a@1/x"), rest.SlimMeta{Name: "by value"}), Parts[any]{
			MetaFunc: func(any) (types.UID, string) { return "", "" },
			KeyFunc:  func(object any) (string, error) { return fmt.Sprintf("%T", object), nil },
		}, Options[any]{MutationGuard: said.report})
		inf.shared.guard.mu.Lock()
		object.Object["spec"].(map[string]any)["size"] = int64(2)
		inf.shared.guard.mu.Unlock()
		stop()
		require.Equal(t, []string{"*unstructured.Unstructured spec.size"}, said.take())
	})
	object := any(loose("b", "2"))
	copied := Clone(object)
	require.Equal(t, object, copied)
	require.NotSame(t, object, copied)
	require.Equal(t, any("text"), Clone[any]("text"))
	require.Nil(t, Clone[any](nil))
}

// What is wrong with the source is the error of the first call; T may be
// anything.
func TestNewFromWithoutSource(t *testing.T) {
	inf := NewFrom[any](nil, Parts[any]{}, Options[any]{})
	require.ErrorIs(t, inf.Run(t.Context()), ErrNoSource)
	_, err := inf.AddEventHandler(hearer(func(string) {}), HandlerOptions{})
	require.ErrorIs(t, err, ErrNoSource)
	require.ErrorIs(t, NewFrom((*bazaar)(nil), Parts[any]{}, Options[any]{}).Run(t.Context()), ErrNoSource)
	require.Equal(t, "objects of any type", inf.State().Name)
	require.False(t, inf.State().Stopped)
}

// Changed tells a resync of interfaces from an update, and compares nothing
// that cannot be compared.
func TestChangedOfInterfaces(t *testing.T) {
	calls := 0
	h := Changed(func(any) int { return 0 }, ResourceEventHandler[any](ResourceEventHandlerFuncs[any]{
		UpdateFunc: func(any, any) { calls++ },
	}))
	object := loose("a", "1")
	h.OnUpdate(object, object)
	require.Equal(t, 1, calls, "a resync passes")
	h.OnUpdate(object, loose("a", "1"))
	h.OnUpdate(map[string]any{}, map[string]any{})
	h.OnUpdate(nil, "text")
	require.Equal(t, 1, calls)
}

// sameContent compares whatever there may be, and changes nothing of it.
func TestSameContent(t *testing.T) {
	type base struct{ metav1.TypeMeta }
	type borrowed struct{ *base }
	kind := func(k string) metav1.TypeMeta { return metav1.TypeMeta{Kind: k} }
	shared := &borrowed{&base{kind("a")}}
	for _, tc := range []struct {
		name string
		a, b any
		same bool
	}{
		{"nil", nil, nil, true},
		{"nil and something", nil, 1, false},
		{"texts", "a", "a", true},
		{"types", int32(1), int64(1), false},
		{"maps", map[string]any{"a": 1}, map[string]any{"a": 1}, true},
		{"pointers to texts", new(string), new(string), true},
		{"nil pointers", (*base)(nil), (*base)(nil), true},
		{"nil pointer and none", (*base)(nil), &base{}, false},
		{"kinds", &base{kind("a")}, &base{kind("b")}, true},
		{"kinds of embedded structs", &struct{ base }{base{kind("a")}}, &struct{ base }{base{kind("b")}}, true},
		{"no kind behind a pointer", &borrowed{}, &borrowed{}, true},
		{"a kind behind a pointer", shared, &borrowed{&base{kind("b")}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.same, sameContent(reflect.ValueOf(tc.a), reflect.ValueOf(tc.b)))
		})
	}
	require.Equal(t, "a", shared.Kind, "what two objects share is not changed")
}
