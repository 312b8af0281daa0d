// The work is done by package indexer, whose Lister selects the objects.

package cache

import (
	"errors"
	"fmt"
	"iter"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/indexer"
)

// AppendFunc receives one object of a list.
type AppendFunc = func(any)

var (
	errNoStore  = errors.New("listing: the store is nil")
	errNoAppend = errors.New("listing: the append function is nil")
)

// ListAll calls appendFn with each object of the store that the selector
// matches. A nil selector matches every object. Matching labels of an object
// without metadata is an error. In a store of a type with labels (IndexerOf),
// an index over labels is used if there is one (indexer.AddLabelIndex).
func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	return listSelected(store, metav1.NamespaceAll, selector, appendFn)
}

// ListAllByNamespace is ListAll for one namespace; NamespaceAll means all. It
// uses the index named NamespaceIndex. Without that index, it logs a warning
// and looks at every object.
func ListAllByNamespace(indexer Indexer, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	return listSelected(indexer, namespace, selector, appendFn)
}

// selectorStore is a store of this package, which lists without a slice of all
// objects.
type selectorStore interface {
	eachSelected(namespace string, selector labels.Selector, appendFn AppendFunc) error
}

func listSelected(store Store, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	switch {
	case store == nil:
		return errNoStore
	case appendFn == nil:
		return errNoAppend
	case selector == nil:
		selector = labels.Everything()
	case labels.MatchesNothing(selector):
		return nil
	}
	if ours, ok := store.(selectorStore); ok {
		return ours.eachSelected(namespace, selector, appendFn)
	}
	objects, err := candidates(store, namespace)
	if err != nil {
		return err
	}
	return appendMatching(objects, selector, appendFn)
}

// candidates returns the objects in a namespace of a store of another package.
func candidates(store Store, namespace string) ([]any, error) {
	if namespace == metav1.NamespaceAll {
		return store.List(), nil
	}
	if indexes, ok := store.(Indexer); ok {
		objects, err := indexes.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: namespace})
		if err == nil {
			return objects, nil
		}
		warnMissingIndex(namespace, err)
	}
	var objects []any
	for _, obj := range store.List() {
		in, err := inNamespace(namespace, obj)
		if err != nil {
			return nil, err
		}
		if in {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}

// appendMatching calls appendFn with each object that the selector matches.
func appendMatching(objects []any, selector labels.Selector, appendFn AppendFunc) error {
	everything := selector.Empty()
	for _, obj := range objects {
		if !everything {
			matches, err := matches(selector, obj)
			if err != nil {
				return err
			}
			if !matches {
				continue
			}
		}
		appendFn(obj)
	}
	return nil
}

func matches(selector labels.Selector, obj any) (bool, error) {
	labeled, err := metadata.As[metadata.Labeler](obj)
	if err != nil {
		return false, fmt.Errorf("listing by labels: %w", err)
	}
	return selector.Matches(labels.Set(labeled.GetLabels())), nil
}

func inNamespace(namespace string, obj any) (bool, error) {
	named, err := metadata.As[metadata.Namer](obj)
	if err != nil {
		return false, fmt.Errorf("listing namespace %s: %w", namespace, err)
	}
	return named.GetNamespace() == namespace, nil
}

func warnMissingIndex(namespace string, err error) {
	klogger.FromOption(nil).Warn("Listing a namespace without an index looks at every object; add the index to the indexers",
		"index", NamespaceIndex, "namespace", namespace, "error", err)
}

// eachSelected is listSelected for a store of this package.
func (s *storeBase[T]) eachSelected(namespace string, selector labels.Selector, appendFn AppendFunc) error {
	byNamespace, indexed := s.ix.Index(NamespaceIndex)
	if indexed = indexed || namespace == metav1.NamespaceAll; !indexed && s.warned.CompareAndSwap(false, true) {
		warnMissingIndex(namespace, missingIndexError(NamespaceIndex))
	}
	selected := selector.Empty() || hasLabels[T]()
	var objects iter.Seq[T]
	switch l := indexer.NewLister(s.ix.Reader, schema.GroupResource{}); {
	case selected && indexed:
		objects = l.Namespace(namespace).List(selector)
	case selected:
		objects = l.List(selector)
	case indexed && namespace != metav1.NamespaceAll:
		objects = byNamespace.Find(namespace)
	default:
		objects = s.ix.All()
	}
	for obj := range objects {
		in, err := indexed, error(nil)
		if !indexed {
			in, err = inNamespace(namespace, obj)
		}
		if in && err == nil && !selected {
			in, err = matches(selector, obj)
		}
		if err != nil {
			return err
		}
		if in {
			appendFn(obj)
		}
	}
	return nil
}

// hasLabels reports whether every T has labels. A lister of package indexer
// treats an object without metadata as an object without labels.
func hasLabels[T any]() bool {
	var t T
	switch any(t).(type) {
	case metadata.Labeler, metav1.ObjectMetaAccessor:
		return true
	}
	return false
}

// GenericLister reads the objects of one resource from an Indexer.
type GenericLister interface {
	// List returns the objects of all namespaces that the selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get returns the object whose key is name: a cluster-scoped object. If
	// there is none, the error is NotFound.
	Get(name string) (runtime.Object, error)
	// ByNamespace returns a lister of one namespace.
	ByNamespace(namespace string) GenericNamespaceLister
}

// GenericNamespaceLister reads the objects of one resource in one namespace.
type GenericNamespaceLister interface {
	// List returns the objects of the namespace that the selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get returns the object with that name. If there is none, the error is
	// NotFound.
	Get(name string) (runtime.Object, error)
}

// NewGenericLister returns a lister of the objects in the Indexer. Its NotFound
// errors name the resource. Reading an object that is not a runtime.Object is
// an error.
func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	return genericLister{indexer: indexer, resource: resource}
}

type genericLister struct {
	indexer  Indexer
	resource schema.GroupResource
}

// List returns the objects of all namespaces.
func (l genericLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return l.list(metav1.NamespaceAll, selector)
}

// Get returns the object with that key.
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
