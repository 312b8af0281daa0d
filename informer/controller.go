package informer

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
)

// Config configures a [Controller]. Queue, ListerWatcher and either Process or
// ProcessBatch are required.
type Config[T any] struct {
	// Queue connects the reflector with the process function. Its KnownObjects
	// must be the store to which that function writes. The controller owns the
	// queue and closes it.
	Queue *deltafifo.DeltaFIFO[T]

	// ListerWatcher is the source of the objects.
	ListerWatcher listwatch.ListerWatcher[T]

	// Process is called with all changes of one key. The rules are those of
	// [deltafifo.DeltaFIFO.Pop].
	Process func(key string, deltas deltafifo.Deltas[T], isInInitialList bool) error

	// ProcessBatch is called instead of Process, with the changes of all keys. The
	// rules are those of [deltafifo.DeltaFIFO.PopBatch].
	ProcessBatch func([]deltafifo.Delta[T], deltafifo.Batch) error

	// OnError is called with each error of Process or ProcessBatch. The failed
	// changes are not processed again. Default: log to Reflector.Logger.
	OnError func(ctx context.Context, err error)

	// Reflector configures the reflector.
	Reflector reflector.Options[T]
}

// Controller is the low-level controller of client-go's documentation: a
// reflector, a queue, and a loop that pops from the queue and calls a process
// function. [SharedInformer] adds a store and handlers, and is the right choice in
// nearly all cases. Package controller, not this type, calls a reconcile function
// with keys.
type Controller[T any] struct {
	config    Config[T]
	reflector *reflector.Reflector[T]
	lifecycle lifecycle
}

// NewController returns a controller that does nothing until Run is called. Run
// returns the error if the Config is invalid.
func NewController[T any](c Config[T]) *Controller[T] {
	if c.Reflector.Logger == nil {
		c.Reflector.Logger = slog.Default()
	}
	if c.OnError == nil {
		logger := c.Reflector.Logger
		c.OnError = func(ctx context.Context, err error) {
			logger.ErrorContext(ctx, "Failed to process changes", "informer", c.Reflector.Name, "err", err)
		}
	}
	return &Controller[T]{config: c, reflector: reflector.New(c.ListerWatcher, c.Queue, c.Reflector)}
}

// Run fills the queue and processes its changes until ctx is done. It returns
// when both have ended; changes that are still queued are dropped. A controller
// runs once.
//
// Possible errors: ErrNoQueue, ErrNoProcess, ErrRunning, ErrStopped, and those of
// the reflector's Run.
func (c *Controller[T]) Run(ctx context.Context) (err error) {
	switch {
	case c.config.Queue == nil:
		return ErrNoQueue
	case (c.config.Process == nil) == (c.config.ProcessBatch == nil):
		return ErrNoProcess
	}
	if err := c.lifecycle.begin(); err != nil {
		return err
	}
	defer c.lifecycle.end()
	ctx, cancel := context.WithCancel(ctx)
	reflectorDone := make(chan error, 1)
	go func() {
		defer cancel()
		reflectorDone <- c.reflector.Run(ctx)
	}()
	defer func() {
		cancel()
		c.config.Queue.Close()
		err = <-reflectorDone
	}()
	c.processLoop(ctx)
	return nil
}

// processLoop processes changes until ctx is done.
func (c *Controller[T]) processLoop(ctx context.Context) {
	for {
		failed, err := c.processNext(ctx)
		if failed {
			c.config.OnError(ctx, err)
		} else if err != nil {
			return
		}
	}
}

// maxBatch is the maximal number of changes that are applied to a store in one
// step. Larger batches are not faster. A Replace is one step whatever its size.
const maxBatch = 1024

// processNext waits for the next change or batch and processes it. failed reports
// that the error is the process function's; any other error ends the loop.
func (c *Controller[T]) processNext(ctx context.Context) (failed bool, err error) {
	if c.config.ProcessBatch == nil {
		err = c.config.Queue.Pop(ctx, func(key string, d deltafifo.Deltas[T], initial bool) error {
			err := c.config.Process(key, d, initial)
			failed = err != nil
			return err
		})
	} else {
		err = c.config.Queue.PopBatch(ctx, maxBatch, func(d []deltafifo.Delta[T], b deltafifo.Batch) error {
			err := c.config.ProcessBatch(d, b)
			failed = err != nil
			return err
		})
	}
	return failed, err
}

// HasSynced reports whether the process function has returned from the whole
// initial list.
func (c *Controller[T]) HasSynced() bool {
	return c.config.Queue != nil && c.config.Queue.HasSynced()
}

// LastSyncResourceVersion returns the newest version that the queue has received.
func (c *Controller[T]) LastSyncResourceVersion() string {
	return c.reflector.LastSyncResourceVersion()
}

// State returns the state of the reflector.
func (c *Controller[T]) State() reflector.State { return c.reflector.State() }

// A lifecycle is the state of something that runs once: idle, running, stopped.
type lifecycle struct{ phase atomic.Int32 }

const (
	idle int32 = iota
	running
	stopped
)

// begin changes the state from idle to running.
//
// Possible errors: ErrRunning, ErrStopped.
func (l *lifecycle) begin() error {
	if l.phase.CompareAndSwap(idle, running) {
		return nil
	}
	if l.phase.Load() == stopped {
		return ErrStopped
	}
	return ErrRunning
}

func (l *lifecycle) end() { l.phase.Store(stopped) }

func (l *lifecycle) running() bool { return l.phase.Load() == running }

func (l *lifecycle) stopped() bool { return l.phase.Load() == stopped }
