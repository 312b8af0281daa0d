package cache

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GenericLister reads the objects of one resource from an Indexer.
type GenericLister interface {
	// List is the objects of all namespaces that the selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get is the object whose key is name: one without a namespace. That there is
	// none is a NotFound.
	Get(name string) (runtime.Object, error)
	// ByNamespace is a lister of one namespace.
	ByNamespace(namespace string) GenericNamespaceLister
}

// GenericNamespaceLister reads the objects of one resource in one namespace.
type GenericNamespaceLister interface {
	// List is the objects of the namespace that the selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get is the object of that name. That there is none is a NotFound.
	Get(name string) (runtime.Object, error)
}

// NewGenericLister returns a lister of what the Indexer has. The resource is what
// its NotFound errors speak of. An object that is no runtime.Object is an error of
// whoever asks for it.
func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	return genericLister{indexer: indexer, resource: resource}
}

type genericLister struct {
	indexer  Indexer
	resource schema.GroupResource
}

// List is the objects of all namespaces.
func (l genericLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return l.list(metav1.NamespaceAll, selector)
}

// Get is the object with that key.
func (l genericLister) Get(name string) (runtime.Object, error) { return l.get(name, name) }

// ByNamespace is a lister of one namespace.
func (l genericLister) ByNamespace(namespace string) GenericNamespaceLister {
	return genericNamespaceLister{lister: l, namespace: namespace}
}

func (l genericLister) list(namespace string, selector labels.Selector) (ret []runtime.Object, err error) {
	var wrong error
	err = listSelected(l.indexer, namespace, selector, func(obj any) {
		object, err := l.object(obj)
		if err != nil {
			wrong = err
			return
		}
		ret = append(ret, object)
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", l.resource, err)
	}
	return ret, nil
}

func (l genericLister) get(key, name string) (runtime.Object, error) {
	if l.indexer == nil {
		return nil, errNoStore
	}
	obj, exists, err := l.indexer.GetByKey(key)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, apierrors.NewNotFound(l.resource, name)
	}
	return l.object(obj)
}

func (l genericLister) object(obj any) (runtime.Object, error) {
	object, ok := obj.(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("a %T in the store of %s is no runtime.Object", obj, l.resource)
	}
	return object, nil
}

type genericNamespaceLister struct {
	lister    genericLister
	namespace string
}

// List is the objects of the namespace.
func (l genericNamespaceLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return l.lister.list(l.namespace, selector)
}

// Get is the object of that name.
func (l genericNamespaceLister) Get(name string) (runtime.Object, error) {
	return l.lister.get(NewObjectName(l.namespace, name).String(), name)
}
