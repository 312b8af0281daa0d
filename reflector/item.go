package reflector

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
)

var errNilObject = errors.New("the event's object is nil")

// itemError returns the ItemError in err; nil if the failure affects more than
// one object.
func itemError(err error) *listwatch.ItemError {
	if err == nil {
		return nil
	}
	item := (*listwatch.ItemError)(nil) // declared here so that other paths do not allocate
	errors.As(err, &item)
	return item
}

func isItemOnly(err error) bool {
	var marked ItemOnlyError
	return errors.As(err, &marked) && marked.ItemOnly()
}

// knownObject returns the stored state of an object that cannot be decoded. ok
// is false if the store has none, or one with another UID. answered is
// false if the store cannot be asked, because it does not implement KnownObjects
// or the name of the item is unreadable.
func (r *Reflector[T]) knownObject(item *listwatch.ItemError) (obj T, ok, answered bool) {
	store, ok := r.store.(KnownObjects[T])
	if !ok || item.Name == "" {
		return obj, false, false
	}
	obj, ok = store.Known(keyOf(item))
	if ok && anotherUID(obj, item.UID) {
		return obj, false, true
	}
	return obj, ok, true
}

func anotherUID(obj any, uid types.UID) bool {
	object, ok := obj.(interface{ GetUID() types.UID })
	return ok && uid != "" && object.GetUID() != "" && object.GetUID() != uid
}

// applyFilter calls the filter. err is set if it panics.
func (r *Reflector[T]) applyFilter(obj T) (keep bool, err error) {
	if r.options.Filter == nil {
		return true, nil
	}
	defer recoverAsError("Filter", &err)
	return r.options.Filter(obj), nil
}

// filterItem applies the filter to an item of an initial state. If the filter
// panics, the known object is kept.
func (r *Reflector[T]) filterItem(ctx context.Context, obj T) (item T, ok bool) {
	keep, err := r.applyFilter(obj)
	if err == nil {
		return obj, keep
	}
	r.reportFilter(ctx, obj, err)
	known, ok, _ := r.knownObject(itemOf(obj))
	return known, ok
}

func (r *Reflector[T]) reportFilter(ctx context.Context, obj T, err error) {
	r.report(ctx, &Error{Name: r.options.Name, Verb: "filter", Reason: ReasonOther, Err: fmt.Errorf("%q: %w", keyOf(itemOf(obj)), err)})
}

// itemOf returns an ItemError that identifies obj, as far as obj has metadata.
func itemOf(obj any) *listwatch.ItemError {
	item := &listwatch.ItemError{}
	if named, ok := obj.(interface {
		GetNamespace() string
		GetName() string
		GetUID() types.UID
	}); ok {
		item.Namespace, item.Name, item.UID = named.GetNamespace(), named.GetName(), named.GetUID()
	}
	return item
}

// nilCheck returns a function that reports whether a T is nil.
func nilCheck[T any]() func(T) bool {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return func(obj T) bool { return nilcheck.IsNil(obj) }
	default:
		return func(T) bool { return false }
	}
}
