package cache

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Controller fills a queue from a source and processes what is in it. New makes
// one of a Config, and the NewInformer family one with a store and a handler.
type Controller interface {
	// RunWithContext runs until ctx is done and returns when all that it has
	// started has ended. A second time it logs that and returns.
	RunWithContext(ctx context.Context)
	// Run is RunWithContext with a channel.
	Run(stopCh <-chan struct{})
	// HasSynced reports whether the initial list has been processed.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion is the newest version that the source has told.
	LastSyncResourceVersion() string
}

// New returns a Controller that does nothing until it is run. Changing c after
// that has no effect. If c lacks something, Run logs that and returns.
//
// What comes with a store and handlers is a SharedInformer, and nearly always what
// is wanted.
func New(c *Config) Controller {
	made := &controller{}
	if c != nil {
		made.config = *c
	}
	made.reflector = made.config.reflector()
	return made
}

// controller is what New makes.
type controller struct {
	config    Config
	reflector *Reflector
	began     atomic.Bool
}

func (c *controller) Run(stopCh <-chan struct{}) {
	c.RunWithContext(wait.ContextForChannel(stopCh))
}

var (
	errNoQueue       = errors.New("its Config has no Queue")
	errNoSource      = errors.New("its Config has no ListerWatcher")
	errNoProcessFunc = errors.New("its Config has no Process function")
	errPanicked      = errors.New("it or the process function has panicked")
	errRanAlready    = errors.New("it runs or has run already, and runs once")
)

// begin is why the controller cannot run.
func (c *controller) begin() error {
	switch {
	case c.config.Queue == nil:
		return errNoQueue
	case c.config.ListerWatcher == nil:
		return errNoSource
	case c.config.Process == nil:
		return errNoProcessFunc
	case !c.began.CompareAndSwap(false, true):
		return errRanAlready
	}
	return nil
}

func (c *controller) RunWithContext(ctx context.Context) {
	if err := c.begin(); err != nil {
		loggerIn(ctx).Error("a controller does not run", c.who(), slog.Any("error", err))
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		<-ctx.Done()
		c.config.Queue.Close()
	})
	running.Go(func() {
		defer cancel()
		c.reflector.RunWithContext(ctx)
	})
	c.processLoop(ctx)
}

// who is what logs call the controller.
func (c *controller) who() slog.Attr { return slog.String("type", c.reflector.TypeDescription()) }

// How long to wait when the queue itself has failed, and that again and again.
const leastQueuePause, mostQueuePause = time.Millisecond, time.Second

// processLoop has what is in the queue processed until ctx is done or the queue
// closed.
func (c *controller) processLoop(ctx context.Context) {
	pause := leastQueuePause
	for ctx.Err() == nil {
		failed, err := c.processNext(ctx)
		switch {
		case err == nil:
			pause = leastQueuePause
		case failed != "":
			loggerIn(ctx).Error("a change could not be processed", c.who(), slog.String("key", failed), slog.Any("error", err))
		case errors.Is(err, ErrFIFOClosed):
			return
		default:
			loggerIn(ctx).Error("a queue does not hand out what is in it", c.who(), slog.Any("error", err))
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, mostQueuePause)
		}
	}
}

// processNext waits for something and has it processed. failed is the key of what
// could not be; any other error is the queue's.
func (c *controller) processNext(ctx context.Context) (failed string, err error) {
	returned := false
	defer func() {
		if !returned {
			err = errPanicked
		}
	}()
	defer utilruntime.HandleCrashWithContext(ctx)
	process := func(obj any, isInInitialList bool) error {
		err := c.config.Process(obj, isInInitialList)
		if err != nil {
			failed = keyForLog(obj)
		}
		return err
	}
	batches, ok := c.config.Queue.(QueueWithBatch)
	if !ok || c.config.ProcessBatch == nil {
		_, err = c.config.Queue.Pop(process)
		returned = true
		return failed, err
	}
	err = batches.PopBatch(func(deltas []Delta, isInInitialList bool) error {
		err := c.config.ProcessBatch(deltas, isInInitialList)
		if err != nil {
			failed = keysForLog(deltas, err)
		}
		return err
	}, process)
	returned = true
	return failed, err
}

func (c *controller) HasSynced() bool {
	return c.config.Queue != nil && c.config.Queue.HasSynced()
}

func (c *controller) HasSyncedChecker() DoneChecker {
	if c.config.Queue == nil {
		return neverDone{}
	}
	return c.config.Queue.HasSyncedChecker()
}

func (c *controller) LastSyncResourceVersion() string { return c.reflector.LastSyncResourceVersion() }

// neverDone is the checker of what cannot run.
type neverDone struct{}

func (neverDone) Name() string          { return "a controller without a queue" }
func (neverDone) Done() <-chan struct{} { return nil }
