package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// decodedSource is a source whose lists and watches come decoded.
type decodedSource[T any] struct {
	lw       ListerWatcherWithContext
	wants    expectation
	pageSize int64
}

// List asks for one page after the other, each of which is there at once. An
// item does not keep the page that it came with alive.
func (s *decodedSource[T]) List(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[T], error) {
	opts.Limit = s.limit(opts)
	return rest.PagedList(ctx, opts, s.page)
}

// limit is the size of the pages to ask for. A server reads it together with a
// version as "exactly this version", so that none is added to one.
func (s *decodedSource[T]) limit(opts metav1.ListOptions) int64 {
	const byDefault = 500
	switch {
	case opts.Limit != 0:
		return opts.Limit
	case s.pageSize != 0:
		return max(s.pageSize, 0)
	case opts.ResourceVersion != "" && opts.ResourceVersion != "0":
		return 0
	}
	return byDefault
}

func (s *decodedSource[T]) page(ctx context.Context, opts metav1.ListOptions) (*rest.Page[T], error) {
	list, err := patiently(ctx, "List", func() (runtime.Object, error) { return s.lw.ListWithContext(ctx, opts) }, nil)
	if err != nil {
		return nil, err
	}
	head, items, err := openList(list)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	next := 0
	return &rest.Page[T]{
		Doing: "list",
		Next: func() (item T, err error) {
			if err := ctx.Err(); err != nil {
				return item, err
			}
			if next == items.Len() {
				return item, io.EOF
			}
			object, err := itemAt(items, next)
			if next++; err != nil {
				return item, err
			}
			return admit[T](s.wants, "", object)
		},
		Meta: func() (resourceVersion, continuation string) { return head.GetResourceVersion(), head.GetContinue() },
	}, nil
}

var errNoList = errors.New("the ListerWatcher returned no list and no error")

// openList is what a list says of itself, and the slice of its items.
func openList(list runtime.Object) (head metav1.ListInterface, items reflect.Value, err error) {
	if isNil(list) {
		return nil, items, errNoList
	}
	if u, ok := list.(*unstructured.Unstructured); ok && u.IsList() {
		if list, err = listIn(u); err != nil {
			return nil, items, err
		}
	}
	if head, err = meta.ListAccessor(list); err != nil {
		return nil, items, fmt.Errorf("the ListerWatcher returned a %T, which is no list: %w", list, err)
	}
	slice, err := meta.GetItemsPtr(list)
	if err != nil {
		return nil, items, fmt.Errorf("the ListerWatcher returned a %T, which has no items: %w", list, err)
	}
	return head, reflect.ValueOf(slice).Elem(), nil
}

// listIn is a list that was decoded as if it were one object. Servers leave out
// the kind of items that the list's own kind tells.
func listIn(u *unstructured.Unstructured) (runtime.Object, error) {
	list, err := u.ToList()
	if err != nil {
		return nil, err
	}
	kind, told := strings.CutSuffix(u.GetKind(), "List")
	for i := range list.Items {
		if item := &list.Items[i]; told && kind != "" && item.Object != nil && item.GetKind() == "" && item.GetAPIVersion() == "" {
			item.SetAPIVersion(u.GetAPIVersion())
			item.SetKind(kind)
		}
	}
	return list, nil
}

// itemAt is an item of a list. Where a list has its items in it, and not pointers
// to them, it is a copy: a pointer into the list would keep all of them.
func itemAt(items reflect.Value, i int) (runtime.Object, error) {
	item := items.Index(i)
	switch item.Kind() {
	case reflect.Pointer, reflect.Interface:
	default:
		own := reflect.New(item.Type())
		own.Elem().Set(item)
		item = own
	}
	switch object := item.Interface().(type) {
	case *runtime.RawExtension:
		if object != nil && object.Object == nil && len(object.Raw) > 0 {
			return nil, rawItemError(object.Raw)
		}
		if object == nil {
			return nil, nil
		}
		return object.Object, nil
	case runtime.Object:
		return object, nil
	case nil:
		return nil, nil
	default:
		return nil, &listwatch.ItemError{Err: fmt.Errorf("a %T is no object", object)}
	}
}

// Watch opens a watch.
func (s *decodedSource[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[T], error) {
	opts.Watch = true
	w, err := patiently(ctx, "Watch",
		func() (watch.Interface, error) { return s.lw.WatchWithContext(ctx, opts) },
		func(late watch.Interface) {
			if !isNil(late) {
				late.Stop()
			}
		})
	if err != nil {
		return nil, err
	}
	if isNil(w) {
		return nil, fmt.Errorf("watch: %w", errNoWatch)
	}
	events := w.ResultChan()
	if events == nil {
		w.Stop()
		return nil, fmt.Errorf("watch: %w: it is a %T", errNoEvents, w)
	}
	return typedWatch[T](ctx, w, events, s.wants), nil
}

var (
	errNoWatch  = errors.New("the ListerWatcher returned no watch and no error")
	errNoEvents = errors.New("the watch has no channel, so that nothing would ever come")
)

// errGoexit: a test that fails in such a function does that.
var errGoexit = errors.New("the ListerWatcher has ended its goroutine by runtime.Goexit")

// lastWords is how long a function is waited for whose context has ended. One
// that knows of the context returns at once.
const lastWords = time.Second

// patiently asks somebody's function for something, until ctx is done. Many are
// made without a context, and return when the server likes: such a one is left
// behind, and late gets what it comes up with, unless that is nil. A panic is an
// error.
func patiently[R any](ctx context.Context, what string, ask func() (R, error), late func(R)) (result R, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	type answer struct {
		result R
		err    error
	}
	answered, left := make(chan answer), make(chan struct{})
	go func() {
		a := answer{err: fmt.Errorf("%s: %w", what, errGoexit)}
		defer func() {
			select {
			case answered <- a:
			case <-left:
				if a.err == nil && late != nil {
					late(a.result)
				}
			}
		}()
		a.result, a.err = guarded(what, ask)
	}()
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
	}
	waited := time.NewTimer(lastWords)
	defer waited.Stop()
	select {
	case a := <-answered:
		return a.result, a.err
	case <-waited.C:
		close(left)
		return result, fmt.Errorf("%s: %w, and the ListerWatcher does not return", what, context.Cause(ctx))
	}
}

// guarded is ask with its panics as errors.
func guarded[R any](what string, ask func() (R, error)) (result R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the ListerWatcher's %s: %v\n%s", what, p, debug.Stack())
		}
	}()
	return ask()
}
