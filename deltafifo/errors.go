package deltafifo

import (
	"errors"
	"fmt"
)

// Errors for invalid calls, and ErrClosed. An object without a key is an
// [indexer.KeyError].
var (
	// ErrClosed: the queue is closed. Writes return it immediately, Pop and
	// PopBatch after everything queued has been delivered.
	ErrClosed = errors.New("deltafifo: the queue is closed")
	// ErrNoProcess: Pop or PopBatch was called without a process function, so
	// that the items would be lost.
	ErrNoProcess = errors.New("deltafifo: the process function is nil")
	// ErrNoItems: Replace was called with a nil iterator. That does not mean an
	// empty list, which would delete all known objects.
	ErrNoItems = errors.New("deltafifo: the items of the Replace are nil")
)

// A TransformError reports that the transform of an object failed, so that the
// known state of the key stays. It does not hold the object, whose content may
// be secret. After a panic Err has the panic value and the stack.
type TransformError struct {
	Key string
	Err error
}

func (e *TransformError) Error() string {
	return fmt.Sprintf("deltafifo: transforming %q: %v", e.Key, e.Err)
}

func (e *TransformError) Unwrap() error { return e.Err }

// ItemOnly tells a reflector that the error affects only this object, so that a
// relist would not help.
func (e *TransformError) ItemOnly() bool { return true }
