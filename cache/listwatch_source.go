// The work is done by package rest, which decodes responses, or by the ListerWatcher.

package cache

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// sourceOptions describes the objects of a source.
type sourceOptions struct {
	// Expected is an object of the expected type. An *unstructured.Unstructured
	// with a kind means that all objects have that kind. nil accepts every T.
	Expected any
	// PageSize is as in rest.Config.
	PageSize int64
}

// ToTyped returns lw as the source of a typed informer or reflector. lw may be
// a ListWatch of client-go, the ListerWatcher of a generated informer, or any
// other. An object that is not a T is reported as a [rest.ItemError] and
// skipped.
//
// Decoded results of lw are used as they are. ToTyped requests raw responses
// only from a ListWatch made by NewListWatchFromClient. These are decoded
// into T, which may have fewer fields than the objects.
func ToTyped[T any](lw ListerWatcher) listwatch.ListerWatcher[T] {
	return sourceOf[T](lw, sourceOptions{})
}

// sourceOf returns lw as a typed source, or nil if lw is nil.
//
// lw streams initial events if its method IsWatchListSemanticsUnSupported
// returns false, or if it belongs to a client whose responses are decoded here.
// Other sources are listed: a fake may treat the request as a plain watch and
// never send the bookmark at the end of the initial events.
func sourceOf[T any](lw ListerWatcher, o sourceOptions) listwatch.ListerWatcher[T] {
	if nilcheck.IsNilPointer(lw) {
		return nil
	}
	semantics, hasSemantics := lw.(watchListSemantics)
	streams := hasSemantics && !semantics.IsWatchListSemanticsUnSupported()
	wants := decoded.ExpectedTypeOf[T](o.Expected)
	if inner := listWatchIn(lw); inner != nil {
		if inner.DisableChunking {
			o.PageSize = -1
		}
		if streamed := streamedOf[T](inner, wants, o.PageSize); streamed != nil {
			return newTypedListWatch(streamed.List, withoutTypeMeta(streamed.Watch, wants), streams || !hasSemantics, listwatch.Ordered, recoveryIn(lw))
		}
	}
	fromDecoded := &decoded.Source[T]{ListerWatcher: ToListerWatcherWithContext(lw), Expected: wants, PageSize: o.PageSize}
	return newTypedListWatch(fromDecoded.List, fromDecoded.Watch, streams, versionOrderOf(lw, streams), sharedRecovery(lw))
}

// versionOrderOf returns how the versions of lw are ordered. Functions over a
// fake, whose versions may decrease, repeat or be empty, cannot be
// distinguished from functions over a clientset. A source that streams initial
// events is not a fake, and an unchanged ListWatch of NewListWatchFromClient
// reads from an API server.
func versionOrderOf(lw ListerWatcher, streams bool) listwatch.VersionOrder {
	if made := listWatchIn(lw); made != nil && made.rawRequestFunc() != nil {
		return listwatch.Ordered
	}
	if streams {
		return listwatch.PresumedOrdered
	}
	return listwatch.UnknownOrder
}

// newTypedListWatch returns a source with known support of initial events and
// known order of versions.
func newTypedListWatch[T any](
	list func(context.Context, metav1.ListOptions) (*listwatch.List[T], error),
	watch func(context.Context, metav1.ListOptions) (*listwatch.Watch[T], error),
	streams bool,
	order listwatch.VersionOrder,
	shared *listwatch.Recovery,
) listwatch.ListerWatcher[T] {
	lw := &listwatch.ListWatch[T]{ListFunc: list, WatchFunc: watch, Order: order, SharedRecovery: shared}
	if !streams {
		lw.SetWatchListUnsupported("the ListerWatcher does not report that it streams the initial events")
	}
	return lw
}

// withoutTypeMeta removes apiVersion and kind from watched objects if their Go
// type implies them: client-go's clients remove them too, and servers omit them
// in lists. An expected kind is kept, and so is that of metadata-only objects.
func withoutTypeMeta[T any](
	watch func(context.Context, metav1.ListOptions) (*listwatch.Watch[T], error), wants decoded.ExpectedType,
) func(context.Context, metav1.ListOptions) (*listwatch.Watch[T], error) {
	switch wants.Type {
	case reflect.TypeFor[*unstructured.Unstructured](), reflect.TypeFor[*metav1.PartialObjectMetadata]():
		return watch
	}
	return func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[T], error) {
		inner, err := watch(ctx, opts)
		if err != nil {
			return nil, err
		}
		return rest.NewWatch(func(ctx context.Context) (listwatch.Event[T], error) {
			event, err := inner.Next(ctx)
			if object, ok := any(event.Object).(runtime.Object); ok && !nilcheck.IsNilPointer(object) {
				object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
			}
			return event, err
		}, inner.Stop), nil
	}
}

// listWatchIn returns the ListWatch of this package that lw is, or nil. A
// ListWatch that is embedded in another type is not returned, because that type
// may override its methods.
func listWatchIn(lw ListerWatcher) *ListWatch {
	switch lw := lw.(type) {
	case *ListWatch:
		return lw
	case *semanticsListWatch:
		return lw.ListWatch
	}
	return nil
}

// streamedOf returns a source that decodes the raw responses of lw. It returns
// nil if that is not possible: the functions were changed, the type is unknown,
// or only the client can decode it.
//
// managedFields are kept, as programs written for client-go expect.
func streamedOf[T any](lw *ListWatch, wants decoded.ExpectedType, pageSize int64) *rest.RawListWatch[T] {
	send := lw.rawRequestFunc()
	if send == nil || wants.Type == nil {
		return nil
	}
	streamed, err := rest.NewRawListWatch[T](send, rest.RawListWatchOptions{
		Type:     wants.Type,
		Info:     rest.ResourceInfo{GroupVersionResource: wants.Kind.GroupVersion().WithResource(lw.resource), Kind: wants.Kind.Kind},
		Decode:   rest.DecodeOptions{KeepManagedFields: true},
		PageSize: pageSize,
	})
	if err != nil {
		return nil
	}
	return streamed
}
