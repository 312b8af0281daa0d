package controller

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// RunOptions configures [Run]. The zero value is a working default.
type RunOptions struct {
	// Factory is started, and shut down at the end. It provides the informers of the
	// controllers. Informers that are requested from it during Run run at once.
	// Default: none.
	Factory *informer.Factory

	// Informers are run in addition to those of the Factory. Pass the informers that
	// were created with informer.New. Informers in neither field must be run by their
	// owner. Default: none.
	Informers []Informer

	// Leader decides when the controllers run. The informers always run, so that a
	// newly elected program begins at once. Package leader provides an Elector.
	// Default: no election; the controllers run at once.
	Leader Elector

	// Serve serves /healthz, /readyz and /debug/; see [HTTP]. Default: none.
	Serve Server

	// Synced is called once, when the informers have synced and before any controller
	// runs. Use it to inspect the initial state or to report that the program is
	// ready. If it returns an error, Run ends. Default: none; each controller waits
	// only for its own informers.
	Synced func(ctx context.Context) error

	// SyncTimeout is the maximum time for the informers to sync when Run begins. After
	// that Run ends with an [ErrSyncTimeout] that lists what each informer waits for and
	// how to fix it. It does not apply to informers that are added after that. Default:
	// 0, no limit.
	SyncTimeout time.Duration

	// StopDelay is how long everything continues after the program is asked to stop,
	// while /readyz already fails. Programs that serve requests, such as webhooks,
	// need it until their clients have noticed. Default: 0.
	StopDelay time.Duration

	// StopTimeout is the time limit at the end for each of: the Leader, after the
	// controllers have ended; the informers' handlers; requests in progress. The
	// controllers have their own time limits. Default: 5 seconds.
	StopTimeout time.Duration

	// NoSignals disables signal handling: only ctx ends Run. Default: SIGINT and
	// SIGTERM end Run as well, and a second signal ends the process.
	NoSignals bool

	// Logger receives log output. Default: [slog.Default].
	Logger *slog.Logger
}

// Informer is an informer that Run can run: a *informer.SharedInformer of any type.
type Informer interface {
	informer.AnyInformer
	Run(ctx context.Context) error
	WaitForSync(ctx context.Context) error
}

// Checker is an optional interface of an Informer. A *informer.SharedInformer
// implements it.
type Checker interface {
	// Check returns an error of the informer that waiting does not fix, or nil. It sends
	// no request.
	Check() error
}

// Run runs the informers and, while this program leads, the controllers, until ctx is
// done, the process receives SIGINT or SIGTERM, or one of them fails. Informers that
// do not sync are logged with the reason and a hint.
//
// Before anything starts, Run validates the options, the controllers and the
// informers, and opens the listener. Errors of an informer at this point are those
// that waiting does not fix: a type without json tags, a closed client, an invalid
// resource name or version, a selector that cannot be parsed; see
// [informer.SharedInformer.Check].
//
// When Run stops, /readyz fails first. Then the controllers stop, within their
// StopTimeout, the leadership is released, the informers stop, and the listener
// is closed, in this order. A second signal ends the process at once.
//
// Run returns nil if it was stopped and everything ended in time. Possible errors:
// those of [Controller.Run], of the Leader and of Synced, [ErrDuplicateName],
// [ErrNothingToRun], [ErrStillRunning], [ErrSyncTimeout], informer.ErrNotRunning for
// an informer that is not run, and an address that is in use. Several errors are
// joined.
func Run(ctx context.Context, o RunOptions, controllers ...*Controller) error {
	if ctx == nil {
		return ErrNoContext
	}
	if len(controllers) == 0 && o.Factory == nil && len(o.Informers) == 0 {
		return errors.Join(o.validate(), ErrNothingToRun)
	}
	return NewProgram(o, controllers...).Run(ctx)
}

// Run runs the program as the function [Run] does, once. It may begin without
// controllers and informers. Controllers that are added take part in everything, like
// those that were passed to NewProgram: they run while this replica leads, an error of
// one of them ends Run, and their informers appear in /readyz and on the debug page.
// A controller that was removed and has functions that have not returned is an error when
// the program stops, and ends it when it no longer leads.
func (p *Program) Run(ctx context.Context) error {
	if ctx == nil {
		return ErrNoContext
	}
	if err := p.begin(); err != nil {
		return err
	}
	return p.run(ctx)
}
