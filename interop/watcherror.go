package interop

import (
	"context"
	"sync"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// watchErrorHandlerOf has a handler that was written against client-go hear of
// our errors, from a Reflector that has no more than what is logged of one. It is
// the same each time, so that it can be told from those of other informers.
func watchErrorHandlerOf(handler clientcache.WatchErrorHandlerWithContext) cache.WatchErrorHandlerWithContext {
	if handler == nil {
		return nil
	}
	var once sync.Once
	var theirs *clientcache.Reflector
	return func(ctx context.Context, ours *cache.Reflector, err error) {
		once.Do(func() {
			theirs = clientcache.NewReflectorWithOptions(nil, nil, nil, clientcache.ReflectorOptions{
				Name: ours.Name(), TypeDescription: ours.TypeDescription(),
			})
		})
		handler(ctx, theirs, err)
	}
}
