// The work is done by package reflector, which fills the queue, and by this file, which empties it.

package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/thinformer/thinformer/cache/internal/klogger"
)

// Config configures a Controller made by New. Queue, ListerWatcher and Process
// are required.
type Config struct {
	// Queue is filled by a Reflector and emptied by Process. Any implementation
	// may be used. The Controller owns it and closes it when Run ends.
	Queue
	// ListerWatcher is the source of the objects.
	ListerWatcher
	// Process is called with each item that Queue.Pop returns. An error is
	// logged with the key, and the item is not processed again. A panic is
	// handled by apimachinery's runtime.HandleCrash: it ends the process or, if
	// ReallyCrash is false, only the processing of this item.
	Process ProcessFunc
	// ProcessBatch is called with several changes at a time if the Queue is a
	// QueueWithBatch. Items that cannot be batched still go to Process. A
	// *TransactionError identifies the changes that failed. Default: Process.
	ProcessBatch ProcessBatchFunc
	// ObjectType is an example of the expected type. Default: any type is
	// accepted.
	ObjectType runtime.Object
	// ObjectDescription names the objects in logs. Default: their type.
	ObjectDescription string
	// FullResyncPeriod is the interval at which Queue.Resync is called.
	// Default: never.
	FullResyncPeriod time.Duration
	// MinWatchTimeout is described in [ReflectorOptions].
	MinWatchTimeout time.Duration
	// ShouldResync reports, each FullResyncPeriod, whether to resync. Default:
	// always.
	ShouldResync ShouldResyncFunc
	// WatchErrorHandler is called when the Queue cannot be kept up to date.
	// Default: WatchErrorHandlerWithContext.
	WatchErrorHandler WatchErrorHandler
	// WatchErrorHandlerWithContext is called if WatchErrorHandler is nil.
	// Default: the error is logged.
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext
	// WatchListPageSize is described in [Reflector].
	WatchListPageSize int64
}

// ShouldResyncFunc reports whether to resync now.
type ShouldResyncFunc = func() bool

// reflector returns a Reflector that fills the Queue.
func (c *Config) reflector() *Reflector {
	r := NewReflectorWithOptions(c.ListerWatcher, c.ObjectType, c.Queue, ReflectorOptions{
		ResyncPeriod:    c.FullResyncPeriod,
		MinWatchTimeout: c.MinWatchTimeout,
		TypeDescription: c.ObjectDescription,
	})
	r.ShouldResync = c.ShouldResync
	r.WatchListPageSize = c.WatchListPageSize
	r.watchErrorHandler = c.WatchErrorHandlerWithContext
	if handler := c.WatchErrorHandler; handler != nil {
		r.watchErrorHandler = func(_ context.Context, r *Reflector, err error) { handler(r, err) }
	}
	return r
}

// Controller fills a queue from a source and processes its items. New makes one
// from a Config; the NewInformer functions make one with a store and a handler.
type Controller interface {
	// RunWithContext runs until ctx is done and returns when all goroutines
	// that it started have ended. A second call logs an error and returns.
	RunWithContext(ctx context.Context)
	// Run calls RunWithContext with a context that ends when stopCh is closed.
	Run(stopCh <-chan struct{})
	// HasSynced reports whether the initial list has been processed.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker for HasSynced.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion returns the newest resource version received from
	// the source.
	LastSyncResourceVersion() string
}

// New returns a Controller that does nothing until it is run. It copies c. If a
// required field is missing, Run logs an error and returns.
//
// Most programs should use a SharedInformer instead, which has a store and
// handlers.
func New(c *Config) Controller {
	made := &controller{}
	if c != nil {
		made.config = *c
	}
	made.reflector = made.config.reflector()
	return made
}

// controller implements Controller for New.
type controller struct {
	config    Config
	reflector *Reflector
	started   atomic.Bool
}

func (c *controller) Run(stopCh <-chan struct{}) {
	c.RunWithContext(wait.ContextForChannel(stopCh))
}

var (
	errNoQueue       = errors.New("Config.Queue is nil")
	errNoSource      = errors.New("Config.ListerWatcher is nil")
	errNoProcessFunc = errors.New("Config.Process is nil")
	errPanicked      = errors.New("panic in the queue or in the process function")
	errRanAlready    = errors.New("it was run before; a controller runs only once")
)

// start marks the controller as started. It returns an error if the controller
// cannot run.
func (c *controller) start() error {
	switch {
	case c.config.Queue == nil:
		return errNoQueue
	case c.config.ListerWatcher == nil:
		return errNoSource
	case c.config.Process == nil:
		return errNoProcessFunc
	case !c.started.CompareAndSwap(false, true):
		return errRanAlready
	}
	return nil
}

func (c *controller) RunWithContext(ctx context.Context) {
	if err := c.start(); err != nil {
		klogger.FromContext(ctx).Error("Controller cannot run", c.typeAttr(), slog.Any("err", err))
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

// typeAttr identifies the controller in logs.
func (c *controller) typeAttr() slog.Attr { return slog.String("type", c.reflector.TypeDescription()) }

// Delay before a retry after the queue itself has failed. It doubles with each
// failure in a row.
const minQueueRetryDelay, maxQueueRetryDelay = time.Millisecond, time.Second

// processLoop processes the items of the queue until ctx is done or the queue
// is closed.
func (c *controller) processLoop(ctx context.Context) {
	pause := minQueueRetryDelay
	for ctx.Err() == nil {
		failed, err := c.processNext(ctx)
		switch {
		case err == nil:
			pause = minQueueRetryDelay
		case failed != "":
			klogger.FromContext(ctx).Error("Failed to process a change", c.typeAttr(), slog.String("key", failed), slog.Any("err", err))
		case errors.Is(err, ErrFIFOClosed):
			return
		default:
			klogger.FromContext(ctx).Error("Failed to pop from the queue, retrying", c.typeAttr(), slog.Any("err", err))
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, maxQueueRetryDelay)
		}
	}
}

// processNext waits for an item and processes it. failed is the key of an item
// that could not be processed; other errors are errors of the queue.
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
		return neverDoneChecker{}
	}
	return c.config.Queue.HasSyncedChecker()
}

func (c *controller) LastSyncResourceVersion() string { return c.reflector.LastSyncResourceVersion() }

// neverDoneChecker is the checker of a controller that cannot run.
type neverDoneChecker struct{}

func (neverDoneChecker) Name() string { return "a controller without a queue" }

func (neverDoneChecker) Done() <-chan struct{} { return nil }

// ProcessFunc processes an item that a Controller has popped.
type ProcessFunc = func(obj any, isInInitialList bool) error

// ProcessBatchFunc processes several changes at a time.
type ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error

// keyForLog returns the key of a popped item, or a description if it has none.
func keyForLog(obj any) string {
	if key, err := queueKey(MetaNamespaceKeyFunc, obj); err == nil && key != "" {
		return key
	}
	if deltas, ok := obj.(Deltas); ok && len(deltas) > 0 {
		return string(deltas[0].Type)
	}
	return fmt.Sprintf("(a %T without a key)", obj)
}

// keysForLog returns the key of the first change that failed and the number of
// further ones.
func keysForLog(deltas []Delta, err error) string {
	successful := map[int]bool{}
	if txErr := (*TransactionError)(nil); errors.As(err, &txErr) && txErr != nil {
		for _, i := range txErr.SuccessfulIndices {
			successful[i] = true
		}
	}
	first, failed := "(none of the changes)", 0
	for i, d := range deltas {
		if successful[i] {
			continue
		}
		if failed++; failed == 1 {
			first = keyForLog(Deltas{d})
		}
	}
	if failed > 1 {
		return fmt.Sprintf("%s and %d more", first, failed-1)
	}
	return first
}
