package cache

import (
	"errors"
	"fmt"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/indexer"
)

// AppendFunc takes one object of a list.
type AppendFunc func(any)

var (
	errNoStore  = errors.New("listing: the store is nil")
	errNoAppend = errors.New("listing: there is no function to append with")
)

// ListAll calls appendFn with each object of the store that the selector matches.
// A nil selector matches everything. To ask an object without metadata for its
// labels is an error. In a store of a type that has labels (IndexerOf), an index of
// theirs is made use of if there is one (indexer.AddLabelIndex).
func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	return listSelected(store, metav1.NamespaceAll, selector, appendFn)
}

// ListAllByNamespace is ListAll of the objects in one namespace; NamespaceAll is
// all of them. It wants an index of the name NamespaceIndex. Without one, which is
// logged, it looks at every object.
func ListAllByNamespace(indexer Indexer, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	return listSelected(indexer, namespace, selector, appendFn)
}

// lister is a store of ours, which lists without a slice of everything.
type lister interface {
	each(namespace string, selector labels.Selector, appendFn AppendFunc) error
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
	if ours, ok := store.(lister); ok {
		return ours.each(namespace, selector, appendFn)
	}
	objects, err := candidates(store, namespace)
	if err != nil {
		return err
	}
	return pick(objects, selector, appendFn)
}

// candidates is the objects in a namespace of somebody else's store.
func candidates(store Store, namespace string) ([]any, error) {
	if namespace == metav1.NamespaceAll {
		return store.List(), nil
	}
	if indexes, ok := store.(Indexer); ok {
		objects, err := indexes.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: namespace})
		if err == nil {
			return objects, nil
		}
		warnOfNoIndex(namespace, err)
	}
	var objects []any
	for _, obj := range store.List() {
		in, err := isIn(namespace, obj)
		if err != nil {
			return nil, err
		}
		if in {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}

// pick calls appendFn with those of the objects that the selector matches.
func pick(objects []any, selector labels.Selector, appendFn AppendFunc) error {
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
	labeled, err := metadataOf[labeler](obj)
	if err != nil {
		return false, fmt.Errorf("listing by labels: %w", err)
	}
	return selector.Matches(labels.Set(labeled.GetLabels())), nil
}

func isIn(namespace string, obj any) (bool, error) {
	named, err := metadataOf[namer](obj)
	if err != nil {
		return false, fmt.Errorf("listing namespace %s: %w", namespace, err)
	}
	return named.GetNamespace() == namespace, nil
}

func warnOfNoIndex(namespace string, err error) {
	loggerOf(nil).Warn("every object is looked at to list a namespace: there is no index over them",
		"index", NamespaceIndex, "namespace", namespace, "error", err)
}

// each is listSelected in a store of ours.
func (c *contents[T]) each(namespace string, selector labels.Selector, appendFn AppendFunc) error {
	byNamespace, indexed := c.ix.Index(NamespaceIndex)
	if indexed = indexed || namespace == metav1.NamespaceAll; !indexed && c.warned.CompareAndSwap(false, true) {
		warnOfNoIndex(namespace, noIndexError(NamespaceIndex))
	}
	selected := selector.Empty() || hasLabels[T]()
	var objects iter.Seq[T]
	switch l := indexer.NewLister(c.ix.Reader, schema.GroupResource{}); {
	case selected && indexed:
		objects = l.Namespace(namespace).List(selector)
	case selected:
		objects = l.List(selector)
	case indexed && namespace != metav1.NamespaceAll:
		objects = byNamespace.Find(namespace)
	default:
		objects = c.ix.All()
	}
	for obj := range objects {
		in, err := indexed, error(nil)
		if !indexed {
			in, err = isIn(namespace, obj)
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

// hasLabels reports whether every T has labels. A lister of the indexer
// room takes what has none for an object without labels.
func hasLabels[T any]() bool {
	var t T
	switch any(t).(type) {
	case labeler, metav1.ObjectMetaAccessor:
		return true
	}
	return false
}
