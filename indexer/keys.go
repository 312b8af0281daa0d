package indexer

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ExplicitKey is a key that passes for an object: MetaNamespaceKeyFunc gives
// it back as it is. It stands in for an object of which only the key is known.
type ExplicitKey string

// KeyError is what a write returns for an object that has no key. It names
// the object's type and not the object, whose content may be secret.
type KeyError struct {
	Type string
	Err  error
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("no key for an object of type %s: %v", e.Type, e.Err)
}

func (e *KeyError) Unwrap() error { return e.Err }

func newKeyError[T any](obj T, err error) error {
	return &KeyError{Type: fmt.Sprintf("%T", obj), Err: err}
}

// MetaNamespaceKeyFunc makes the key that every room agrees on:
// "namespace/name", or "name" for an object without a namespace.
//
// Possible errors: ErrNoMetadata, ErrNilObject, ErrNoName.
func MetaNamespaceKeyFunc[T any](obj T) (string, error) {
	// Each conversion of obj to an interface is written out, because only
	// then does it stay on the stack for a T that is not a pointer.
	if key, ok := any(obj).(ExplicitKey); ok {
		return string(key), nil
	}
	named, err := named(obj)
	if err != nil {
		return "", err
	}
	namespace, name := named.GetNamespace(), named.GetName()
	switch {
	case name == "":
		return "", ErrNoName
	case namespace == "":
		return name, nil
	}
	return namespace + "/" + name, nil
}

// SplitMetaNamespaceKey is the inverse of MetaNamespaceKeyFunc. The namespace
// of a key without one is "".
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	namespace, name, found := strings.Cut(key, "/")
	if !found {
		namespace, name = "", key
	}
	if name == "" || strings.Contains(name, "/") || (found && namespace == "") {
		return "", "", fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	return namespace, name, nil
}

// NamespaceIndex is the name by which listers look for an index over
// namespaces; MetaNamespaceIndexFunc is its function.
const NamespaceIndex = "namespace"

// MetaNamespaceIndexFunc files an object under its namespace. Objects without
// metadata are in no namespace; cluster-scoped ones are in the namespace "".
func MetaNamespaceIndexFunc[T any](obj T) []string {
	named, err := named(obj)
	if err != nil {
		return nil
	}
	return []string{named.GetNamespace()}
}

// namedObject is as much of an object's metadata as a key needs.
type namedObject interface {
	GetNamespace() string
	GetName() string
}

func named[T any](obj T) (namedObject, error) {
	if isNil(obj) {
		return nil, ErrNilObject
	}
	switch o := any(obj).(type) {
	case namedObject:
		return o, nil
	case metav1.ObjectMetaAccessor:
		if m := o.GetObjectMeta(); !isNil(m) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w: %T", ErrNoMetadata, obj)
}

// isNil reports whether obj is nil or an interface around a nil pointer: the
// methods of an object would panic on either.
func isNil[T any](obj T) bool {
	v := reflect.ValueOf(obj)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}
