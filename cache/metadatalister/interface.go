package metadatalister

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Lister reads the objects of all namespaces.
type Lister interface {
	// List returns the objects that the selector matches.
	List(selector labels.Selector) (ret []*metav1.PartialObjectMetadata, err error)
	// Get returns the object whose key is name: a cluster-scoped object.
	Get(name string) (*metav1.PartialObjectMetadata, error)
	// Namespace returns a lister of one namespace.
	Namespace(namespace string) NamespaceLister
}

// NamespaceLister reads the objects of one namespace.
type NamespaceLister interface {
	// List returns the objects that the selector matches.
	List(selector labels.Selector) (ret []*metav1.PartialObjectMetadata, err error)
	// Get returns the object with that name.
	Get(name string) (*metav1.PartialObjectMetadata, error)
}
