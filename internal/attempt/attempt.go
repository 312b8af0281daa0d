// Package attempt marks contexts whose requests must not be retried. A reflector
// sets the mark: it retries failed requests itself and reports each failure.
// Package rest and the clients beneath package cache read it.
package attempt

import "context"

type key struct{}

// Once returns a context whose requests are not retried after a failure. The
// single retry after a 401 and the retries of net/http are not affected.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Repeated undoes Once. It is for the later pages of a list: a failure there
// would discard the earlier pages.
func Repeated(ctx context.Context) context.Context {
	if !IsOnce(ctx) {
		return ctx
	}
	return context.WithValue(ctx, key{}, false)
}

// IsOnce reports whether the requests of ctx must not be retried.
func IsOnce(ctx context.Context) bool {
	once, _ := ctx.Value(key{}).(bool)
	return once
}
