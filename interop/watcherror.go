package interop

import (
	"context"
	"sync"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// watchErrorHandlerOf returns a watch error handler that calls a handler written for
// client-go. The Reflector that it passes has only the fields that are logged. It is the
// same for each call, so that it identifies the informer.
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
