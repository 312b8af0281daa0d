package indexer

import (
	"iter"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Lister reads objects from the store by label selector, namespace and name. Its
// keys are "namespace/name", as MetaNamespaceKeyFunc returns them. Objects
// without GetLabels have no labels. The returned objects are shared and must not
// be changed.
type Lister[T any] struct {
	reader   Reader[T]
	resource schema.GroupResource
	// through, if not nil, is called before each read. It is a pointer so that listers can
	// be compared.
	through *func(key, namespace string) (Snapshot[T], error)
}

// Through returns a lister that calls snapshot before each read and reads the snapshot
// that it returns: with the key of Get, or with the namespace of List, both "" for a List
// of everything. If snapshot returns an error, Get returns it. List ignores it.
func (l Lister[T]) Through(snapshot func(key, namespace string) (Snapshot[T], error)) Lister[T] {
	l.through = &snapshot
	return l
}

func (l Lister[T]) snapshot(key, namespace string) (Snapshot[T], error) {
	if l.through == nil {
		return l.reader.Snapshot(), nil
	}
	return (*l.through)(key, namespace)
}

// NewLister returns a Lister that reads from r. The resource is used in NotFound
// errors.
func NewLister[T any](r Reader[T], resource schema.GroupResource) Lister[T] {
	return Lister[T]{reader: r, resource: resource}
}

// List yields the objects that match the selector, in no particular order, from
// one version of the store. A nil selector matches everything. With a suitable
// label index (AddLabelIndex) only the objects in the index are read.
func (l Lister[T]) List(selector labels.Selector) iter.Seq[T] {
	snapshot, _ := l.snapshot("", "")
	return list(snapshot, "", selector)
}

// Get returns the object with the given name, for a cluster-scoped resource.
//
// Possible errors: NotFound, see apimachinery's errors.IsNotFound.
func (l Lister[T]) Get(name string) (T, error) { return l.get(name, name) }

// Namespace returns a lister for one namespace.
func (l Lister[T]) Namespace(namespace string) NamespaceLister[T] {
	return NamespaceLister[T]{lister: l, namespace: namespace}
}

func (l Lister[T]) get(key, name string) (T, error) {
	snapshot, err := l.snapshot(key, "")
	if err != nil {
		var none T
		return none, err
	}
	obj, ok := snapshot.Get(key)
	if !ok {
		return obj, apierrors.NewNotFound(l.resource, name)
	}
	return obj, nil
}

// NamespaceLister is a Lister of one namespace.
type NamespaceLister[T any] struct {
	lister    Lister[T]
	namespace string
}

// List yields the objects of the namespace that match the selector. With an
// index named NamespaceIndex only the objects of the namespace are read. The
// namespace "" means all.
func (l NamespaceLister[T]) List(selector labels.Selector) iter.Seq[T] {
	snapshot, _ := l.lister.snapshot("", l.namespace)
	return list(snapshot, l.namespace, selector)
}

// Get returns the object with the given name in the namespace.
//
// Possible errors: NotFound, see apimachinery's errors.IsNotFound.
func (l NamespaceLister[T]) Get(name string) (T, error) {
	if l.namespace == "" {
		return l.lister.Get(name)
	}
	return l.lister.get(l.namespace+"/"+name, name)
}

// list yields what s has in a namespace ("": in all) and the selector matches.
func list[T any](s Snapshot[T], namespace string, selector labels.Selector) iter.Seq[T] {
	if selector == nil {
		selector = labels.Everything()
	}
	if _, selectable := selector.Requirements(); !selectable {
		return func(func(T) bool) {}
	}
	everything := selector.Empty()
	candidates, inNamespace := candidatesFor(s, namespace, selector)
	return func(yield func(T) bool) {
		for obj := range candidates {
			if !inNamespace && s.store.namespaceOf(obj) != namespace {
				continue
			}
			if (everything || selector.Matches(labelsOf(obj))) && !yield(obj) {
				return
			}
		}
	}
}

// candidatesFor returns the smallest set of candidates that an index has for a
// query, and reports whether all of them are in the namespace.
func candidatesFor[T any](s Snapshot[T], namespace string, selector labels.Selector) (objects iter.Seq[T], inNamespace bool) {
	objects, inNamespace = s.All(), namespace == ""
	fewest := s.Len()
	if namespace != "" {
		byNamespace, ok := s.reader().Index(NamespaceIndex)
		if !ok || byNamespace.at(s) == nil {
			objects, inNamespace = s.inNamespace(namespace), true
		} else {
			objects, inNamespace = s.Find(byNamespace, namespace), true
			fewest = s.Count(byNamespace, namespace)
		}
	}
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		byLabel, values, ok := labelIndexFor(s, requirement)
		if !ok {
			continue
		}
		n := 0
		for _, value := range values {
			n += s.Count(byLabel, value)
		}
		if n < fewest {
			fewest, inNamespace = n, namespace == ""
			objects = s.findAny(byLabel, values)
		}
	}
	return objects, inNamespace
}

// inNamespace yields the objects whose key has the namespace.
func (s Snapshot[T]) inNamespace(namespace string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for key, slot := range s.root.keys.all() {
			if ns, _, ok := strings.Cut(key, "/"); ok && ns == namespace &&
				!yield(s.root.objects.get(slot, s.root.keys.bound)) {
				return
			}
		}
	}
}

// findAny yields the objects under any of the values, of which no object has
// more than one.
func (s Snapshot[T]) findAny(ix *Index[T], values []string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, value := range values {
			for obj := range s.Find(ix, value) {
				if !yield(obj) {
					return
				}
			}
		}
	}
}

func (s Snapshot[T]) reader() Reader[T] { return Reader[T]{store: s.store} }

// namespaceOf returns the namespace of an object: that of its metadata, or else
// that of its key.
func (s *store[T]) namespaceOf(obj T) string {
	if named, err := named(obj); err == nil {
		return named.GetNamespace()
	}
	key, err := s.key(obj)
	if err != nil {
		return ""
	}
	namespace, _, found := strings.Cut(key, "/")
	if !found {
		return ""
	}
	return namespace
}
