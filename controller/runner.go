package controller

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/thinformer/thinformer/informer"
)

// RunOptions configures [Run]. The zero value is a working default.
type RunOptions struct {
	// Factory is started, and shut down at the end: where the informers of the
	// controllers come from. Informers that no factory has made are run by their
	// owner. Default: none.
	Factory *informer.Factory

	// Leader decides when the controllers run; the informers always do. Package
	// leader has one. Default: they run at once.
	Leader Elector

	// Address is where /healthz, /readyz and /debug/ are served, such as
	// "127.0.0.1:8080". Default: nowhere.
	Address string

	// Logger is where problems are logged. Default: [slog.Default].
	Logger *slog.Logger
}

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

// Run starts the factory, and runs the controllers until ctx is done or the
// program is told to stop (SIGINT, SIGTERM).
func Run(ctx context.Context, o RunOptions, controllers ...*Controller) error {
	if o.Factory != nil {
		if err := o.Factory.Start(ctx); err != nil {
			return err
		}
	}
	lead := func(ctx context.Context) error {
		errs := make([]error, len(controllers))
		var all sync.WaitGroup
		for i, c := range controllers {
			all.Go(func() { errs[i] = c.Run(ctx) })
		}
		all.Wait()
		return errors.Join(errs...)
	}
	var err error
	if o.Leader != nil {
		err = o.Leader.Run(ctx, lead)
	} else {
		err = lead(ctx)
	}
	if o.Factory != nil {
		err = errors.Join(err, o.Factory.Shutdown())
	}
	return err
}
