package controller

import (
	"context"
	"log/slog"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// RunOptions configures [Run]. The zero value is a working default.
type RunOptions struct {
	// Factory is started, and shut down at the end: where the informers of the
	// controllers come from. What is asked of it while Run runs needs another
	// Start of it. Default: none.
	Factory *informer.Factory

	// Informers are run as well: those that informer.New has made. What neither
	// they nor the Factory have is run by its owner. Default: none.
	Informers []Informer

	// Leader decides when the controllers run; the informers always do, so that
	// who is elected begins at once. Package leader has one. Default: the
	// controllers run at once.
	Leader Elector

	// Serve is where /healthz, /readyz and /debug/ are served: an [HTTP].
	// Default: nowhere.
	Serve Server

	// Synced is called when the informers have synced for the first time, and
	// before that no controller runs: to look at what is there, to say that the
	// program is ready. Its error ends Run. Default: nothing is called, and each
	// controller waits for its own informers only.
	Synced func(ctx context.Context) error

	// StopDelay is how long all goes on after the program was told to stop, while
	// /readyz fails already: for those who are asked by others, such as webhooks,
	// until these have heard of it. Default: 0.
	StopDelay time.Duration

	// StopTimeout is how long, at the end, each of these is waited for: the Leader
	// after the controllers have ended, then the informers' handlers, then
	// requests that are being served. The controllers have bounds of their own.
	// Default: 5 seconds.
	StopTimeout time.Duration

	// NoSignals leaves signals to others: only ctx ends Run. Default: SIGINT and
	// SIGTERM end it as well, and a second one ends the process.
	NoSignals bool

	// Logger is where problems are logged. Default: [slog.Default].
	Logger *slog.Logger
}

// Informer is one that Run can run: a *informer.SharedInformer of any type.
type Informer interface {
	informer.AnyInformer
	Run(ctx context.Context) error
	WaitForSync(ctx context.Context) error
}

// Run is a program of controllers: it runs the informers and, while this program
// leads, the controllers, until ctx is done, the program is told to stop (SIGINT,
// SIGTERM), or one of them has failed. Informers that do not sync are logged with
// what they wait for, and what would help.
//
// Before anything starts, what is wrong with the options and the controllers is
// returned, and the address is taken.
//
// At the end /readyz fails first. Then the controllers stop, as their StopTimeout
// says, the leadership is given back, the informers stop, and the address is
// given up, each when the one before has ended. A second signal ends the process
// at once.
//
// When it was told to stop and all has ended well, the error is nil. Possible
// errors: those that [Controller.Run] returns, the Leader's, Synced's,
// [ErrSameName], [ErrNothingToRun], [ErrStillRunning], informer.ErrNotRunning for
// an informer that nobody runs, and that the address is taken; several of them
// joined.
func Run(ctx context.Context, o RunOptions, controllers ...*Controller) error {
	p, err := newProgram(o, controllers)
	if err != nil {
		return err
	}
	return p.run(ctx)
}
