package rest

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Object is what this package asks of a type: to say which object a value is
// and at which version. Every struct with an embedded metav1.ObjectMeta has
// these methods; so has one with an embedded [SlimMeta].
//
// The type itself is a pointer to a struct: *v1.Pod, *Widget,
// *metav1.PartialObjectMetadata or *unstructured.Unstructured. It needs no
// scheme, no DeepCopyObject and no list type.
type Object interface {
	GetNamespace() string
	GetName() string
	GetUID() types.UID
	GetResourceVersion() string
}

// SlimMeta is the least that a cached object must know about itself. Embed it
// under the name "metadata" and add the few fields that are wanted; nothing
// else of the object is decoded or kept:
//
//	type SlimPod struct {
//		rest.SlimMeta `json:"metadata"`
//		Spec          struct {
//			NodeName string `json:"nodeName"`
//		} `json:"spec"`
//	}
//
// When more of the metadata is wanted, embed SlimMeta in a struct that has it:
//
//	type PodMeta struct {
//		rest.SlimMeta `json:",inline"`
//		Labels        map[string]string `json:"labels"`
//	}
//	type SlimPod struct {
//		PodMeta `json:"metadata"`
//	}
type SlimMeta struct {
	Name            string    `json:"name,omitempty"`
	Namespace       string    `json:"namespace,omitempty"`
	UID             types.UID `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
}

// GetName is the object's name.
func (m *SlimMeta) GetName() string { return m.Name }

// GetNamespace is the object's namespace, "" for cluster-scoped resources.
func (m *SlimMeta) GetNamespace() string { return m.Namespace }

// GetUID tells this object from an earlier or later one of the same name.
func (m *SlimMeta) GetUID() types.UID { return m.UID }

// GetResourceVersion is the version that this value shows.
func (m *SlimMeta) GetResourceVersion() string { return m.ResourceVersion }

var _ Object = (*SlimMeta)(nil)

// ResourceInfo says where a kind of object is served: what a REST mapping is
// elsewhere. It is four words, so it can be written by hand; package discovery
// finds it for a kind, a plural, a singular or a short name.
type ResourceInfo struct {
	schema.GroupVersionResource
	// Kind is sent with every write, and given to unstructured items that come
	// without one. Items of lists and watches that say they are of another kind
	// or group are each an [*ItemError]. A View can do without it, and then takes
	// any.
	Kind string
	// Namespaced resources are addressed as namespace and name.
	Namespaced bool
}

// GroupVersionKind is the kind with its group and version.
func (r ResourceInfo) GroupVersionKind() schema.GroupVersionKind {
	return r.GroupVersion().WithKind(r.Kind)
}

// structOf is the struct type that T points to, or an error that says what T
// should have been.
func structOf[T Object]() (reflect.Type, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, &typeError{t}
	}
	return t.Elem(), nil
}
