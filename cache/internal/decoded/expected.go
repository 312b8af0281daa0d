package decoded

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
)

// ExpectedType is the type that the objects of a source must have.
type ExpectedType struct {
	// Type is the Go type; nil accepts any.
	Type reflect.Type
	// Kind is the kind that the objects must have; empty accepts any.
	Kind schema.GroupVersionKind
}

// ExpectedTypeOf returns the type of example. Without an example it is T,
// unless T is an interface.
func ExpectedTypeOf[T any](example any) (e ExpectedType) {
	e.Type = reflect.TypeOf(example)
	if u, ok := example.(*unstructured.Unstructured); ok && u != nil && u.Object != nil {
		e.Kind = u.GroupVersionKind()
	}
	if t := reflect.TypeFor[T](); e.Type == nil && t.Kind() != reflect.Interface {
		e.Type = t
	}
	return e
}

func (e ExpectedType) String() string {
	switch {
	case !e.Kind.Empty():
		return e.Kind.String()
	case e.Type != nil:
		return e.Type.String()
	}
	return "anything"
}

var errNilObject = errors.New("the object is nil")

// check returns an error if object does not have the expected type.
func (e ExpectedType) check(object runtime.Object) error {
	switch {
	case nilcheck.IsNilPointer(object):
		return errNilObject
	case e.Type != nil && reflect.TypeOf(object) != e.Type:
		return fmt.Errorf("unexpected type %T, want %v", object, e)
	case e.Kind.Empty():
		return nil
	}
	if kind := object.GetObjectKind().GroupVersionKind(); kind != e.Kind && !kind.Empty() {
		return fmt.Errorf("unexpected kind %v, want %v", kind, e)
	}
	return nil
}

// convert returns object as a T, or an item error.
func convert[T any](e ExpectedType, typ watch.EventType, object runtime.Object) (T, error) {
	err := e.check(object)
	if err == nil {
		if typed, ok := object.(T); ok {
			return typed, nil
		}
		err = fmt.Errorf("unexpected type %T, want %v", object, reflect.TypeFor[T]())
	}
	var none T
	return none, itemError(typ, object, err)
}

// itemError returns an error for one object, with as much of its identity as is
// known.
func itemError(typ watch.EventType, object runtime.Object, cause error) *listwatch.ItemError {
	item := &listwatch.ItemError{Type: typ, Err: cause}
	named, err := meta.Accessor(object)
	if nilcheck.IsNilPointer(object) || err != nil {
		return item
	}
	item.Namespace, item.Name = named.GetNamespace(), named.GetName()
	item.UID, item.ResourceVersion = named.GetUID(), named.GetResourceVersion()
	return item
}

// ErrUndecoded is the error of an item that the client left as raw bytes.
var ErrUndecoded = errors.New("the client did not decode the object because it does not know the kind")

// rawItemError returns the error for an item that was not decoded.
func rawItemError(raw []byte) *listwatch.ItemError {
	item := &listwatch.ItemError{Err: ErrUndecoded}
	var named metav1.PartialObjectMetadata
	if json.Unmarshal(raw, &named) == nil {
		item.Namespace, item.Name = named.Namespace, named.Name
		item.UID, item.ResourceVersion = named.UID, named.ResourceVersion
	}
	return item
}
