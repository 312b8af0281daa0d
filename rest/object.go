package rest

import (
	"reflect"

	"k8s.io/apimachinery/pkg/types"
)

// Object identifies an object and its version. Every struct that embeds
// metav1.ObjectMeta or [SlimMeta] implements it.
//
// A type that implements it is a pointer to a struct: *v1.Pod, *Widget,
// *metav1.PartialObjectMetadata or *unstructured.Unstructured. It needs no scheme,
// no DeepCopyObject and no list type.
type Object interface {
	GetNamespace() string
	GetName() string
	GetUID() types.UID
	GetResourceVersion() string
}

// SlimMeta is the minimal metadata of a cached object. Embed it with the tag
// "metadata" and add the required fields; nothing else of the object is decoded or
// kept:
//
//	type SlimPod struct {
//		rest.SlimMeta `json:"metadata"`
//		Spec          struct {
//			NodeName string `json:"nodeName"`
//		} `json:"spec"`
//	}
//
// For more of the metadata, embed SlimMeta in a struct with those fields:
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

// GetName returns the name of the object.
func (m *SlimMeta) GetName() string { return m.Name }

// GetNamespace returns the namespace of the object, "" for cluster-scoped
// resources.
func (m *SlimMeta) GetNamespace() string { return m.Namespace }

// GetUID returns the UID, which differs between objects that have had the same
// name.
func (m *SlimMeta) GetUID() types.UID { return m.UID }

// GetResourceVersion returns the version of this value.
func (m *SlimMeta) GetResourceVersion() string { return m.ResourceVersion }

var _ Object = (*SlimMeta)(nil)

// structOf returns the struct type that T points to.
func structOf[T Object]() (reflect.Type, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, &typeError{t}
	}
	return t.Elem(), nil
}
