package cache

import "context"

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
