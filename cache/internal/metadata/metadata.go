package metadata

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/nilcheck"
)

// The parts of an object's metadata that are used. They are small so that slim
// types implement them.
type (
	// Namer has the name of an object.
	Namer interface {
		GetNamespace() string
		GetName() string
	}
	// Versioner has the resource version of an object.
	Versioner interface{ GetResourceVersion() string }
	// Labeler has the labels of an object.
	Labeler interface{ GetLabels() map[string]string }
)

// As returns the metadata of an object as an M. An object that is nil or has no
// metadata is an error.
func As[M any](obj any) (part M, err error) {
	if nilcheck.IsNilPointer(obj) {
		return part, fmt.Errorf("object has no meta: it is %s", DescribeNil(obj))
	}
	switch o := obj.(type) {
	case M:
		return o, nil
	case metav1.ObjectMetaAccessor:
		if part, ok := o.GetObjectMeta().(M); ok && !nilcheck.IsNilPointer(part) {
			return part, nil
		}
	}
	return part, fmt.Errorf("object has no meta: %T does not implement the Object interfaces", obj)
}

// DescribeNil returns the text for a nil object, with its type if it has one.
func DescribeNil(obj any) string {
	if obj == nil {
		return "nil"
	}
	return fmt.Sprintf("a nil %T", obj)
}

// VersionOf returns the resource version of an object, or "" if it has none.
func VersionOf(obj any) string {
	versioned, err := As[Versioner](obj)
	if err != nil {
		return ""
	}
	return versioned.GetResourceVersion()
}
