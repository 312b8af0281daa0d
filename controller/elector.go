package controller

import "context"

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
