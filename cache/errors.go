package cache

import "errors"

var (
	// ErrFIFOClosed: the queue is closed. A write gets it at once, Pop when
	// everything that was queued has been handed out.
	ErrFIFOClosed = errors.New("cache: the queue is closed")
	// ErrZeroLengthDeltasObject: Deltas without a Delta have no key. It comes in a
	// KeyError.
	ErrZeroLengthDeltasObject = errors.New("Deltas of length 0 have no key")

	// errNoProcess: without a process function, what was popped would be lost.
	errNoProcess = errors.New("cache: no function to process what is popped")
)
