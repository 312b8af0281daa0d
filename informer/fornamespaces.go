package informer

import (
	"fmt"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// ForNamespaces returns an informer of the objects of source in a set of namespaces,
// which SetNamespaces changes at any time. It has one store, and handlers and indexes
// for all namespaces, and a list and a watch for each namespace. Each namespace has its
// own version and epoch; see [SharedInformer.VersionIn]. The store has the index
// [indexer.NamespaceIndex].
//
// Each call returns another informer: the factory never shares it. It runs and ends like
// one that [For] returned. The namespace of source and of the factory's options have no
// effect. With a nil factory, the caller calls Run, as for [New].
//
// A name may occur several times. Without namespaces the informer sends no request, and
// is synced when it runs. The server returns an empty list for a namespace that does not
// exist, and the objects follow when it is created. The informer does not wait for the
// list of a namespace that the server forbids, unless it forbids all of them. If a name is
// invalid or the resource has no namespaces, the first call on the informer returns an
// error, as with New.
func ForNamespaces[T rest.Object](f *Factory, source Source[T], o Options[T], namespaces ...string) *SharedInformer[T] {
	if f == nil {
		return &SharedInformer[T]{shared: newOfNamespaces(source, o, namespaces)}
	}
	created := newOfNamespaces(source, withDefaults(f.options, o), namespaces)
	e := &entry{options: &o, informer: &SharedInformer[T]{shared: created, handle: &handle{onRelease: func() {}}}}
	return request[T](f, e, false)
}

// newOfNamespaces returns an informer of the namespaces.
func newOfNamespaces[T rest.Object](source Source[T], o Options[T], namespaces []string) *shared[T] {
	err := checkSource[T](source)
	if err == nil {
		var ok bool
		if source, ok = withNamespace(source, ""); !ok {
			err = fmt.Errorf("%w: it is a %T", ErrNoNamespace, source)
		}
	}
	s := newScoped[T](source, o, func(namespace string) (listwatch.ListerWatcher[T], error) {
		return inNamespace(source, namespace)
	})
	switch {
	case s.err != nil:
	case err != nil:
		s.err = err
	case s.info.Resource != "" && !s.info.Namespaced:
		s.err = fmt.Errorf("%s: %w: the resource is cluster-scoped", s.name, ErrNoNamespace)
	default:
		s.err = s.feeds.setNamespaces(namespaces)
	}
	return s
}

// newScoped returns an informer without namespaces. scoped returns the source of a
// namespace.
func newScoped[T rest.Object](source listwatch.ListerWatcher[T], o Options[T], scoped func(string) (listwatch.ListerWatcher[T], error)) *shared[T] {
	s := newUnfed(source, StoreConfig[T]{MetaFunc: metaOf[T]}, o, severalNamespaces) // for the name
	if err := checkType[T](); err != nil {
		s.err = err
	}
	s.namespace = ""
	s.errorLog = reflector.NewErrorLog(s.name, s.options.Logger)
	tweaked := func(namespace string) (listwatch.ListerWatcher[T], error) {
		source, err := scoped(namespace)
		if err == nil && o.TweakListOptions != nil {
			source = listwatch.Modify(source, o.TweakListOptions)
		}
		return source, err
	}
	s.feeds = newNamespaceSet(s, func(obj T) string { return obj.GetNamespace() }, tweaked)
	return s
}

// SetNamespaces replaces the namespaces of an informer that [ForNamespaces] returned.
// It waits for nothing, so a handler may call it. If there is an error, nothing changes.
// Concurrent calls take effect one after another.
//
// Handlers receive OnAdds with isInInitialList for the objects of an added namespace,
// and OnDeletes with finalStateUnknown for those of a removed one, since its objects
// probably still exist. [SharedInformer.WaitForSync] waits for the lists of the
// namespaces that were added; HasSynced, once true, remains true. Waits for a version in
// a removed namespace end with ErrNotCovered.
//
// Possible errors: ErrNoNamespace if a name is invalid, or for an informer that
// ForNamespaces did not return; ErrStopped, ErrReleased, and errors in the arguments of
// ForNamespaces.
func (i *SharedInformer[T]) SetNamespaces(namespaces ...string) error {
	if err := i.checkUsable(); err != nil {
		return err
	}
	return i.shared.feeds.setNamespaces(namespaces)
}
