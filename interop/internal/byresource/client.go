package byresource

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/interop"
)

// OfClient returns the source of an informer that reads with the client of a resource.
// Open returns that client, and is called for each list and watch, as in client-go's
// informers: an informer can be requested from a stub that has no such client. Client is
// what the program has passed to the factory: a fake declares by a method of its own that
// it does not stream. If it is nil, lists and watches return an error that says so.
func OfClient[L runtime.Object](client any, resource string, tweak func(*metav1.ListOptions), open func() interop.Client[L]) clientcache.ListerWatcher {
	if nilcheck.IsNilPointer(client) {
		return interop.ListWatch(interop.Client[L](withoutClient[L]{resource}))
	}
	lw := interop.ListWatch(interop.Client[L](opened[L](open)), tweak)
	return cache.ToListWatcherWithWatchListSemantics(lw, client)
}

// opened is a client that is opened for each request.
type opened[L runtime.Object] func() interop.Client[L]

// List implements [interop.Client].
func (o opened[L]) List(ctx context.Context, options metav1.ListOptions) (L, error) {
	return o().List(ctx, options)
}

// Watch implements [interop.Client].
func (o opened[L]) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return o().Watch(ctx, options)
}

// withoutClient is the client of an informer whose client is nil. The informer can be
// requested, and fails when it is started.
type withoutClient[L runtime.Object] struct{ resource string }

func (w withoutClient[L]) error() error {
	return fmt.Errorf("read %s: the informer was created with a client that is nil", w.resource)
}

// List implements [interop.Client].
func (w withoutClient[L]) List(context.Context, metav1.ListOptions) (list L, err error) {
	return list, w.error()
}

// Watch implements [interop.Client].
func (w withoutClient[L]) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, w.error()
}
