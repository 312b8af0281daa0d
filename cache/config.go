package cache

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// Config is what New makes a Controller of. Queue, ListerWatcher and Process are
// needed.
type Config struct {
	// Queue is what a Reflector fills and Process empties: any, also one of the
	// user's. It is the Controller's, which closes it when Run ends.
	Queue
	// ListerWatcher is where the objects come from.
	ListerWatcher
	// Process is called with what the Queue's Pop hands out. An error is logged
	// with the key; what it was about does not come again. A panic is
	// apimachinery's runtime.HandleCrash's: it ends the process, or costs what it
	// was about.
	Process ProcessFunc
	// ProcessBatch is called with several changes at a time, if the Queue is a
	// QueueWithBatch. What is not to be mixed with others still goes to Process.
	// A *TransactionError tells which changes have failed. Default: Process.
	ProcessBatch ProcessBatchFunc
	// ObjectType is an object of the type that is expected. Default: any is taken.
	ObjectType runtime.Object
	// ObjectDescription is what logs call the objects. Default: their type.
	ObjectDescription string
	// FullResyncPeriod is how often the Queue's Resync is called. Default: never.
	FullResyncPeriod time.Duration
	// MinWatchTimeout is that of [ReflectorOptions].
	MinWatchTimeout time.Duration
	// ShouldResync is asked each FullResyncPeriod whether to resync. Default: yes.
	ShouldResync ShouldResyncFunc
	// WatchErrorHandler hears of what keeps the Queue from being up to date.
	// Default: WatchErrorHandlerWithContext.
	WatchErrorHandler WatchErrorHandler
	// WatchErrorHandlerWithContext hears of it if WatchErrorHandler is nil.
	// Default: it is logged.
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext
	// WatchListPageSize is that of [Reflector].
	WatchListPageSize int64
}

// ShouldResyncFunc says whether it is time for a resync.
type ShouldResyncFunc func() bool

// reflector is a Reflector that fills the Queue.
func (c *Config) reflector() *Reflector {
	r := NewReflectorWithOptions(c.ListerWatcher, c.ObjectType, c.Queue, ReflectorOptions{
		ResyncPeriod:    c.FullResyncPeriod,
		MinWatchTimeout: c.MinWatchTimeout,
		TypeDescription: c.ObjectDescription,
	})
	r.ShouldResync = c.ShouldResync
	r.WatchListPageSize = c.WatchListPageSize
	r.watchErrorHandler = c.WatchErrorHandlerWithContext
	if told := c.WatchErrorHandler; told != nil {
		r.watchErrorHandler = func(_ context.Context, r *Reflector, err error) { told(r, err) }
	}
	return r
}
