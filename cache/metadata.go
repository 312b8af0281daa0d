package cache

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What is asked of an object's metadata. Slim types, which have no more than they
// are asked for, are objects as well.
type (
	namer interface {
		GetNamespace() string
		GetName() string
	}
	versioner interface{ GetResourceVersion() string }
	labeler   interface{ GetLabels() map[string]string }
)

// metadataOf is the part M of an object's metadata. An object that has none, or
// is nil, is an error: its methods would panic.
func metadataOf[M any](obj any) (part M, err error) {
	if isNil(obj) {
		return part, fmt.Errorf("object has no meta: it is %s", whichNil(obj))
	}
	switch o := obj.(type) {
	case M:
		return o, nil
	case metav1.ObjectMetaAccessor:
		if part, ok := o.GetObjectMeta().(M); ok && !isNil(part) {
			return part, nil
		}
	}
	return part, fmt.Errorf("object has no meta: %T does not implement the Object interfaces", obj)
}

func isNil(obj any) bool {
	v := reflect.ValueOf(obj)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer:
		return v.IsNil()
	}
	return false
}

// whichNil names a nil: one without a type has none to tell.
func whichNil(obj any) string {
	if obj == nil {
		return "nil"
	}
	return fmt.Sprintf("a nil %T", obj)
}

// versionOf is the resource version of an object, "" if it has none.
func versionOf(obj any) string {
	versioned, err := metadataOf[versioner](obj)
	if err != nil {
		return ""
	}
	return versioned.GetResourceVersion()
}
