package informer

import "github.com/thinformer/thinformer/internal/resourceversion"

// Covers reports whether the informer lists the objects of a namespace.
func (i *SharedInformer[T]) Covers(namespace string) bool {
	return i.shared.feeds.of(namespace) != nil
}

// VersionIn returns a version V such that all changes up to V of a namespace's objects
// are in the store, or "" before the initial list of the namespace, and the epoch to
// which V belongs: how often the versions of the namespace have gone back. If the
// informer does not cover the namespace, the epoch is -1. A namespace that was removed
// and added again has another epoch.
func (i *SharedInformer[T]) VersionIn(namespace string) (version string, epoch int) {
	f := i.shared.feeds.of(namespace)
	if f == nil {
		return "", -1
	}
	epoch = f.epoch()
	return f.version(), epoch
}

// version returns the lowest version of the feeds, "" if one has none or if they
// cannot be compared.
func (s *shared[T]) version() string {
	all := s.feeds.all()
	if len(all) == 0 {
		return ""
	}
	lowest := all[0].version()
	for _, f := range all[1:] {
		version := f.version()
		order, comparable := resourceversion.Compare(version, lowest)
		switch {
		case !comparable || version == "":
			return ""
		case order < 0:
			lowest = version
		}
	}
	return lowest
}
