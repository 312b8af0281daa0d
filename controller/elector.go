package controller

import (
	"context"
	"errors"
)

// Elector decides which of several programs acts. If it is a [fmt.Stringer], the
// debug page shows what it says: who leads, and why nobody does.
type Elector interface {
	// Run calls lead whenever this program is the one, until ctx is done or lead
	// has returned without having been told to. The context that lead is given
	// ends when ctx is done, or when the program no longer leads: the cause is
	// [ErrNotLeading] then. [Leading] of it ends only for the latter. What was
	// won is kept until lead has returned, and not given back if its error is
	// [ErrStillRunning]: then something acts that it has left behind.
	Run(ctx context.Context, lead func(ctx context.Context) error) error
	// Check is an error if the election does not work, for a health endpoint.
	Check() error
}

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
