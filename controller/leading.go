package controller

import (
	"context"
	"errors"
)

// ErrNotLeading is why the context of [Elector.Run]'s lead has ended, as
// [context.Cause] tells it, if this program no longer leads.
var ErrNotLeading = errors.New("controller: this program no longer leads")

type leadingKey struct{}

// WithLeading returns a context of which [Leading] is the given one. Electors
// make lead's context with it.
func WithLeading(ctx, leading context.Context) context.Context {
	return context.WithValue(ctx, leadingKey{}, leading)
}

// Leading is the context of the leadership that ctx comes from. Unlike ctx it
// does not end when the program is told to stop, but only when it no longer
// leads: what has begun may be finished until then, and not after. Where nobody
// was elected it never ends.
func Leading(ctx context.Context) context.Context {
	if leading, ok := ctx.Value(leadingKey{}).(context.Context); ok {
		return leading
	}
	return context.WithoutCancel(ctx)
}
