package indexer

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/nilcheck"
)

// ExplicitKey is a key that can be used as an object: MetaNamespaceKeyFunc
// returns it unchanged.
type ExplicitKey string

// KeyError reports that an object has no key. It has the type of the object, not
// the object, whose content may be secret.
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

// MetaNamespaceKeyFunc returns the default key of an object: "namespace/name",
// or "name" for an object without a namespace.
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

// NamespaceIndex is the name of the namespace index that listers use;
// MetaNamespaceIndexFunc is its function.
const NamespaceIndex = "namespace"

// MetaNamespaceIndexFunc returns the namespace of obj as its only index value;
// it is "" for a cluster-scoped object. An object without metadata has no value.
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
	if nilcheck.IsNil(obj) {
		return nil, ErrNilObject
	}
	switch o := any(obj).(type) {
	case namedObject:
		return o, nil
	case metav1.ObjectMetaAccessor:
		if m := o.GetObjectMeta(); !nilcheck.IsNil(m) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w: %T", ErrNoMetadata, obj)
}
