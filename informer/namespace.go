package informer

import "context"

// Covers reports whether the informer lists the objects of a namespace.
func (i *SharedInformer[T]) Covers(namespace string) bool {
	scope := i.shared.namespace
	return scope == "" || scope == namespace
}

// VersionIn returns a version V such that all changes up to V of a namespace's objects
// are in the store, or "" before the initial list of the namespace, and the epoch to
// which V belongs: how often the versions of the namespace have gone back.
func (i *SharedInformer[T]) VersionIn(namespace string) (version string, epoch int) {
	epoch = int(i.shared.versionWaiters.epoch.Load())
	return i.shared.store.Version(), epoch
}

// WaitForVersionIn is WaitForVersion for the objects of one namespace only.
//
// Possible errors: those of WaitForVersion.
func (i *SharedInformer[T]) WaitForVersionIn(ctx context.Context, namespace, version string) error {
	return i.WaitForVersion(ctx, version)
}
