package reflector

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/listwatch"
)

var errNilObject = errors.New("the event's object is nil")

// known is what a store may have besides the methods of Store: the object that
// it would say is there, whatever of it has still to be processed. With it an
// object that comes undecodable in a list keeps what was known of it.
type known[T any] interface {
	Known(key string) (T, bool)
}

// itemError is the object that an error is about; nil if it is about more.
func itemError(err error) *listwatch.ItemError {
	if err == nil {
		return nil
	}
	item := (*listwatch.ItemError)(nil) // declared here, it costs the others nothing
	errors.As(err, &item)
	return item
}

// distrusting is what a store may have as well, if it takes an item of a Replace
// for what it has by its version: Distrust says that in the next Replace it must
// not, because versions may have been given out again.
type distrusting interface{ Distrust() }

// itemOnly is what an error of a store may say of itself: that it has cost its
// object and nothing else, so that to read everything again would not help.
type itemOnly interface{ ItemOnly() bool }

func costsItemOnly(err error) bool {
	var marked itemOnly
	return errors.As(err, &marked) && marked.ItemOnly()
}

// knownObject is the object of which item came undecodable, as the store has
// it. It is not ok if the store has none, or that of another UID; sure says
// that the store could tell, as nobody can where the item's name was unreadable.
func (r *Reflector[T]) knownObject(item *listwatch.ItemError) (obj T, ok, sure bool) {
	store, tells := r.store.(known[T])
	if !tells || item.Name == "" {
		return obj, false, false
	}
	key := item.Name
	if item.Namespace != "" {
		key = item.Namespace + "/" + item.Name
	}
	obj, ok = store.Known(key)
	if ok && anotherUID(obj, item.UID) {
		return obj, false, true
	}
	return obj, ok, true
}

func anotherUID(obj any, uid types.UID) bool {
	object, ok := obj.(interface{ GetUID() types.UID })
	return ok && uid != "" && object.GetUID() != "" && object.GetUID() != uid
}

// wanted asks the filter. An error is its panic.
func (r *Reflector[T]) wanted(obj T) (keep bool, err error) {
	if r.options.Filter == nil {
		return true, nil
	}
	defer recovered("Filter", &err)
	return r.options.Filter(obj), nil
}

// filtered is what the filter makes of an item of an initial state. One that
// the filter panics on stays as it was known.
func (r *Reflector[T]) filtered(ctx context.Context, obj T) (item T, ok bool) {
	keep, err := r.wanted(obj)
	if err == nil {
		return obj, keep
	}
	r.reportFilter(ctx, obj, err)
	known, ok, _ := r.knownObject(itemOf(obj))
	return known, ok
}

func (r *Reflector[T]) reportFilter(ctx context.Context, obj T, err error) {
	item := itemOf(obj)
	key := item.Name
	if item.Namespace != "" {
		key = item.Namespace + "/" + item.Name
	}
	r.report(ctx, &Error{Name: r.options.Name, Verb: "filter", Reason: Other, Err: fmt.Errorf("%q: %w", key, err)})
}

// itemOf is an object by name, as far as it says.
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

// nilCheck is how to see that a T is nil, where it can be.
func nilCheck[T any]() func(T) bool {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return func(obj T) bool { return isNilPointer(obj) }
	default:
		return func(T) bool { return false }
	}
}

func isNilPointer(v any) bool {
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return value.IsNil()
	default:
		return false
	}
}
