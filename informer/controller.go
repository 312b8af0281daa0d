package informer

import (
	"context"
	"log/slog"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
)

// Config is what a [Controller] is made of. Queue, ListerWatcher and one of
// Process and ProcessBatch are needed.
type Config[T any] struct {
	// Queue is what the reflector fills and the process function empties. Its
	// KnownObjects must be where that function puts what it is handed. It is
	// the controller's, which closes it.
	Queue *deltafifo.DeltaFIFO[T]

	// ListerWatcher is where the objects come from.
	ListerWatcher listwatch.ListerWatcher[T]

	// Process is called with all that has happened to one key; the rules are
	// those of [deltafifo.DeltaFIFO.Pop].
	Process func(key string, deltas deltafifo.Deltas[T], isInInitialList bool) error

	// ProcessBatch is called instead, with what has happened to all keys; the
	// rules are those of [deltafifo.DeltaFIFO.PopBatch].
	ProcessBatch func([]deltafifo.Delta[T], deltafifo.Batch) error

	// OnError hears of each error of Process or ProcessBatch. What it was handed
	// is not handed to it again. Default: it is logged to Reflector.Logger.
	OnError func(ctx context.Context, err error)

	// Reflector configures the reflector.
	Reflector reflector.Options[T]
}

// Controller is the low-level thing that the documentation of client-go calls
// by this name: a reflector, a queue, and a loop that pops from it into a
// function of yours. [SharedInformer] is one with a store and handlers behind
// it, and nearly always what you want. What calls a reconcile function with
// keys is package controller, and not this.
type Controller[T any] struct {
	config    Config[T]
	reflector *reflector.Reflector[T]
	life      life
}

// NewController returns a controller that does nothing until it is run. What is
// wrong with its Config is the error of Run.
func NewController[T any](c Config[T]) *Controller[T] {
	if c.Reflector.Logger == nil {
		c.Reflector.Logger = slog.Default()
	}
	if c.OnError == nil {
		logger := c.Reflector.Logger
		c.OnError = func(ctx context.Context, err error) {
			logger.ErrorContext(ctx, "Changes could not be processed", "informer", c.Reflector.Name, "err", err)
		}
	}
	return &Controller[T]{config: c, reflector: reflector.New(c.ListerWatcher, c.Queue, c.Reflector)}
}

// Run fills the queue and processes what is in it until ctx is done. It returns
// when both have ended, and runs once. What the process function has not been
// handed by then it will not be.
//
// Possible errors: ErrNoQueue, ErrNoProcess, ErrRunning, ErrStopped, those of
// the reflector's Run.
func (c *Controller[T]) Run(ctx context.Context) (err error) {
	switch {
	case c.config.Queue == nil:
		return ErrNoQueue
	case (c.config.Process == nil) == (c.config.ProcessBatch == nil):
		return ErrNoProcess
	}
	if err := c.life.begin(); err != nil {
		return err
	}
	defer c.life.end()
	ctx, cancel := context.WithCancel(ctx)
	filled := make(chan error, 1)
	go func() {
		defer cancel()
		filled <- c.reflector.Run(ctx)
	}()
	defer func() {
		cancel()
		c.config.Queue.Close()
		err = <-filled
	}()
	c.processLoop(ctx)
	return nil
}

// processLoop hands out what is in the queue until ctx is done.
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

// maxBatch is how many changes are applied to a store in one step. More at a
// time gain nothing; a Replace is one step whatever its size.
const maxBatch = 1024

// processNext waits for something and has it processed. failed says that the
// error is the process function's; any other ends the loop.
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

// HasSynced reports whether the process function has been handed the whole
// initial list, and has returned.
func (c *Controller[T]) HasSynced() bool {
	return c.config.Queue != nil && c.config.Queue.HasSynced()
}

// LastSyncResourceVersion is the newest version that the queue has been told.
func (c *Controller[T]) LastSyncResourceVersion() string {
	return c.reflector.LastSyncResourceVersion()
}

// State tells how the reflector fares.
func (c *Controller[T]) State() reflector.State { return c.reflector.State() }
