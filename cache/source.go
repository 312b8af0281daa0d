package cache

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// sourceOptions says what is expected of a source.
type sourceOptions struct {
	// Expected is an object of the type that all are to be of; an
	// *unstructured.Unstructured with a kind says that they are to be of that
	// kind. nil: whatever T can hold.
	Expected any
	// PageSize is the size of the pages of a list. 0: 500 where the server may
	// page; negative: no pages.
	PageSize int64
}

// ToTyped is lw as the source of a typed informer or reflector: a ListWatch of
// client-go, the ListerWatcher of a generated informer, or one made by hand. An
// object that is no T is a [rest.ItemError], which costs only itself.
//
// What lists and watches of lw have decoded is taken as it is. Only a ListWatch
// that NewListWatchFromClient has made is asked for bytes, which are decoded into
// T whatever T is, also into less than there is.
func ToTyped[T any](lw ListerWatcher) listwatch.ListerWatcher[T] {
	return sourceOf[T](lw, sourceOptions{})
}

// sourceOf is lw as the rooms beneath know sources; nil where lw is nil.
//
// Whether the initial state is streamed is for lw to say, by its method
// IsWatchListSemanticsUnSupported or by being of a client that decodes here. One
// that says nothing is listed: it may be a fake that takes the request for a
// plain watch, and never tells where the initial state ends.
func sourceOf[T any](lw ListerWatcher, o sourceOptions) listwatch.ListerWatcher[T] {
	if isNil(lw) {
		return nil
	}
	says, speaks := lw.(watchListSemantics)
	streams := speaks && !says.IsWatchListSemanticsUnSupported()
	wants := expectationOf[T](o.Expected)
	if beneath := listWatchIn(lw); beneath != nil {
		if beneath.DisableChunking {
			o.PageSize = -1
		}
		if streamed := streamedOf[T](beneath, wants, o.PageSize); streamed != nil {
			return vouched(streamed.List, untitled(streamed.Watch, wants), streams || !speaks)
		}
	}
	decoded := &decodedSource[T]{lw: ToListerWatcherWithContext(lw), wants: wants, pageSize: o.PageSize}
	return vouched(decoded.List, decoded.Watch, streams)
}

// vouched is a source of which is known whether it streams its initial state.
func vouched[T any](
	list func(context.Context, metav1.ListOptions) (*listwatch.List[T], error),
	watch func(context.Context, metav1.ListOptions) (*listwatch.Watch[T], error),
	streams bool,
) listwatch.ListerWatcher[T] {
	lw := &listwatch.ListWatch[T]{ListFunc: list, WatchFunc: watch}
	if !streams {
		lw.NoteWatchListTrouble("the ListerWatcher does not say that it streams the initial state")
	}
	return lw
}

// untitled is a watch whose objects do not say what they are, where their Go type
// does: the clients of client-go take apiVersion and kind off what is watched, and
// servers leave them out of what is listed. A kind that is expected stays, and
// that of metadata, which is anything's.
func untitled[T any](
	watch func(context.Context, metav1.ListOptions) (*listwatch.Watch[T], error), wants expectation,
) func(context.Context, metav1.ListOptions) (*listwatch.Watch[T], error) {
	switch wants.typ {
	case reflect.TypeFor[*unstructured.Unstructured](), reflect.TypeFor[*metav1.PartialObjectMetadata]():
		return watch
	}
	return func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[T], error) {
		titled, err := watch(ctx, opts)
		if err != nil {
			return nil, err
		}
		return rest.NewWatch(func(ctx context.Context) (listwatch.Event[T], error) {
			event, err := titled.Next(ctx)
			if object, ok := any(event.Object).(runtime.Object); ok && !isNil(object) {
				object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
			}
			return event, err
		}, titled.Stop), nil
	}
}

// listWatchIn is the ListWatch that a ListerWatcher is; nil for any other. One
// that is embedded in somebody else's type may have been changed there.
func listWatchIn(lw ListerWatcher) *ListWatch {
	switch lw := lw.(type) {
	case *ListWatch:
		return lw
	case *vouchedListWatch:
		return lw.ListWatch
	}
	return nil
}

// streamedOf is lw with its answers decoded here. It is nil where that cannot be
// done: its functions have been changed, nobody knows into what to decode, or it
// is a type that only the client's own decoder knows how to.
//
// managedFields stay, as whoever comes from client-go has them.
func streamedOf[T any](lw *ListWatch, wants expectation, pageSize int64) *rest.Streamed[T] {
	send := lw.sender()
	if send == nil || wants.typ == nil {
		return nil
	}
	streamed, err := rest.NewStreamed[T](send, rest.StreamedOptions{
		Type:     wants.typ,
		Info:     rest.ResourceInfo{GroupVersionResource: wants.kind.GroupVersion().WithResource(lw.resource), Kind: wants.kind.Kind},
		Decode:   rest.DecodeOptions{KeepManagedFields: true},
		PageSize: pageSize,
	})
	if err != nil {
		return nil
	}
	return streamed
}
