package controller

import "context"

// Elector decides which of several programs acts.
type Elector interface {
	// Run calls lead whenever this program is the one, until ctx is done or lead
	// has returned without having been told to. The context that lead is given
	// ends when ctx is done, or when the program no longer leads: the cause is
	// [ErrNotLeading] then. [Leading] of it ends only for the latter. What was
	// won is kept until lead has returned.
	Run(ctx context.Context, lead func(ctx context.Context) error) error
	// Check is an error if the election does not work, for a health endpoint.
	Check() error
}
