package cache

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

	"github.com/thinformer/thinformer/listwatch"
)

// expectation is what the objects of a source are to be.
type expectation struct {
	// typ is their Go type; nil for any.
	typ reflect.Type
	// kind is what they are to say that they are; empty for anything.
	kind schema.GroupVersionKind
}

// expectationOf is an object like those that are expected. Where T is a type of
// objects and not an interface, that is what they are in any case.
func expectationOf[T any](example any) (e expectation) {
	e.typ = reflect.TypeOf(example)
	if u, ok := example.(*unstructured.Unstructured); ok && u != nil && u.Object != nil {
		e.kind = u.GroupVersionKind()
	}
	if holds := reflect.TypeFor[T](); e.typ == nil && holds.Kind() != reflect.Interface {
		e.typ = holds
	}
	return e
}

func (e expectation) String() string {
	switch {
	case !e.kind.Empty():
		return e.kind.String()
	case e.typ != nil:
		return e.typ.String()
	}
	return "anything"
}

var errNilObject = errors.New("the object is nil")

// refuse is why an object is not what is expected; nil if it is.
func (e expectation) refuse(object runtime.Object) error {
	switch {
	case isNil(object):
		return errNilObject
	case e.typ != nil && reflect.TypeOf(object) != e.typ:
		return fmt.Errorf("it is a %T, and a %v is expected", object, e)
	case e.kind.Empty():
		return nil
	}
	if kind := object.GetObjectKind().GroupVersionKind(); kind != e.kind && !kind.Empty() {
		return fmt.Errorf("it is a %v, and a %v is expected", kind, e)
	}
	return nil
}

// admit is an object as a T, or the error that stands in its place.
func admit[T any](e expectation, typ watch.EventType, object runtime.Object) (T, error) {
	err := e.refuse(object)
	if err == nil {
		if as, ok := object.(T); ok {
			return as, nil
		}
		err = fmt.Errorf("it is a %T, and no %v", object, reflect.TypeFor[T]())
	}
	var none T
	return none, itemError(typ, object, err)
}

// itemError is an error of one object, with as much of its name as there is.
func itemError(typ watch.EventType, object runtime.Object, why error) *listwatch.ItemError {
	item := &listwatch.ItemError{Type: typ, Err: why}
	named, err := meta.Accessor(object)
	if isNil(object) || err != nil {
		return item
	}
	item.Namespace, item.Name = named.GetNamespace(), named.GetName()
	item.UID, item.ResourceVersion = named.GetUID(), named.GetResourceVersion()
	return item
}

var errRaw = errors.New("the client has left it undecoded: it does not know its kind")

// rawItemError is the error of an item that nobody has decoded.
func rawItemError(raw []byte) *listwatch.ItemError {
	item := &listwatch.ItemError{Err: errRaw}
	var named metav1.PartialObjectMetadata
	if json.Unmarshal(raw, &named) == nil {
		item.Namespace, item.Name = named.Namespace, named.Name
		item.UID, item.ResourceVersion = named.UID, named.ResourceVersion
	}
	return item
}
