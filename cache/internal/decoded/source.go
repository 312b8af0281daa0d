package decoded

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

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// ListerWatcher is cache.ListerWatcherWithContext.
type ListerWatcher interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
	WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// Source is a source whose lists and watches return decoded objects.
type Source[T any] struct {
	ListerWatcher ListerWatcher
	Expected      ExpectedType
	// PageSize is as in rest.Config.
	PageSize int64
}

// List requests one page after the other and copies items, so that an item does
// not keep its page in memory.
func (s *Source[T]) List(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[T], error) {
	return rest.PagedList(ctx, opts, s.PageSize, s.page)
}

func (s *Source[T]) page(ctx context.Context, opts metav1.ListOptions) (*rest.Page[T], error) {
	list, err := callWithContext(ctx, "List", func() (runtime.Object, error) { return s.ListerWatcher.ListWithContext(ctx, opts) }, nil)
	if err != nil {
		return nil, err
	}
	head, items, err := openList(list)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	next := 0
	return &rest.Page[T]{
		Operation: "list",
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
			return convert[T](s.Expected, "", object)
		},
		Meta: func() (resourceVersion, continuation string) { return head.GetResourceVersion(), head.GetContinue() },
	}, nil
}

// ErrNoList is the error of a list without a result.
var ErrNoList = errors.New("the ListerWatcher returned neither a list nor an error")

// openList returns the metadata of a list and the slice of its items.
func openList(list runtime.Object) (head metav1.ListInterface, items reflect.Value, err error) {
	if nilcheck.IsNilPointer(list) {
		return nil, items, ErrNoList
	}
	if u, ok := list.(*unstructured.Unstructured); ok && u.IsList() {
		if list, err = listFromUnstructured(u); err != nil {
			return nil, items, err
		}
	}
	if head, err = meta.ListAccessor(list); err != nil {
		return nil, items, fmt.Errorf("the ListerWatcher returned a %T, which is not a list: %w", list, err)
	}
	slice, err := meta.GetItemsPtr(list)
	if err != nil {
		return nil, items, fmt.Errorf("the ListerWatcher returned a %T, which has no items: %w", list, err)
	}
	return head, reflect.ValueOf(slice).Elem(), nil
}

// listFromUnstructured converts a list that was decoded as a single object. It
// sets the kind of items that have none, because servers omit it.
func listFromUnstructured(u *unstructured.Unstructured) (runtime.Object, error) {
	list, err := u.ToList()
	if err != nil {
		return nil, err
	}
	kind, isList := strings.CutSuffix(u.GetKind(), "List")
	for i := range list.Items {
		if item := &list.Items[i]; isList && kind != "" && item.Object != nil && item.GetKind() == "" && item.GetAPIVersion() == "" {
			item.SetAPIVersion(u.GetAPIVersion())
			item.SetKind(kind)
		}
	}
	return list, nil
}

// itemAt returns item i of a list. If the slice contains values and not
// pointers, it returns a copy: a pointer into the slice would keep all items in
// memory.
func itemAt(items reflect.Value, i int) (runtime.Object, error) {
	item := items.Index(i)
	switch item.Kind() {
	case reflect.Pointer, reflect.Interface:
	default:
		copied := reflect.New(item.Type())
		copied.Elem().Set(item)
		item = copied
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
		return nil, &listwatch.ItemError{Err: fmt.Errorf("a %T is not a runtime.Object", object)}
	}
}

// Watch opens a watch.
func (s *Source[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[T], error) {
	opts.Watch = true
	w, err := callWithContext(ctx, "Watch",
		func() (watch.Interface, error) { return s.ListerWatcher.WatchWithContext(ctx, opts) },
		func(late watch.Interface) {
			if !nilcheck.IsNilPointer(late) {
				late.Stop()
			}
		})
	if err != nil {
		return nil, err
	}
	if nilcheck.IsNilPointer(w) {
		return nil, fmt.Errorf("watch: %w", ErrNoWatch)
	}
	events := w.ResultChan()
	if events == nil {
		w.Stop()
		return nil, fmt.Errorf("watch: %w: it is a %T", ErrNoEvents, w)
	}
	return newTypedWatch[T](ctx, w, events, s.Expected), nil
}

// Errors of a watch without a result, and of a watch without a channel.
var (
	ErrNoWatch  = errors.New("the ListerWatcher returned neither a watch nor an error")
	ErrNoEvents = errors.New("the watch has a nil result channel")
)

// ErrGoexit is returned for functions that call runtime.Goexit, as a failing
// test does.
var ErrGoexit = errors.New("the ListerWatcher called runtime.Goexit")

// CallGracePeriod is how long callWithContext waits for a function after its
// context has ended. Functions that use the context return immediately.
// Functions of a fake ignore it and may be slow: a goleak test must not find a
// goroutine in them after Run has returned. A request to an unreachable server
// must not keep a program from ending.
const CallGracePeriod = 10 * time.Second

// callWithContext calls a function that may ignore ctx. It returns when the
// function has returned, or CallGracePeriod after ctx is done. In that case the
// goroutine is abandoned, and late, unless nil, is called with its result. A
// panic is returned as an error.
func callWithContext[R any](ctx context.Context, method string, call func() (R, error), late func(R)) (result R, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	type outcome struct {
		result R
		err    error
	}
	returned, abandoned := make(chan outcome), make(chan struct{})
	go func() {
		o := outcome{err: fmt.Errorf("%s: %w", method, ErrGoexit)}
		defer func() {
			select {
			case returned <- o:
			case <-abandoned:
				if o.err == nil && late != nil {
					late(o.result)
				}
			}
		}()
		o.result, o.err = recoverPanics(method, call)
	}()
	select {
	case o := <-returned:
		return o.result, o.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(CallGracePeriod)
	defer timer.Stop()
	select {
	case o := <-returned:
		return o.result, o.err
	case <-timer.C:
		close(abandoned)
		return result, fmt.Errorf("%s: %w; the ListerWatcher has not returned", method, context.Cause(ctx))
	}
}

// recoverPanics calls call and returns a panic as an error.
func recoverPanics[R any](method string, call func() (R, error)) (result R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the ListerWatcher's %s: %v\n%s", method, p, debug.Stack())
		}
	}()
	return call()
}
