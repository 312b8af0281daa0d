package deltafifo

import (
	"errors"
	"fmt"
)

// Each of these names a mistake of the caller's, but for ErrClosed, which is
// how a queue ends. An object without a key is an [indexer.KeyError].
var (
	// ErrClosed: the queue is closed. A write of any kind gets it at once, Pop
	// and PopBatch when everything queued has been handed out.
	ErrClosed = errors.New("deltafifo: the queue is closed")
	// ErrNoProcess: Pop or PopBatch without a process function, which would
	// lose what it is handed.
	ErrNoProcess = errors.New("deltafifo: no process function")
	// ErrNoItems: Replace without an iterator. It is not taken for an empty
	// list, which would delete everything known.
	ErrNoItems = errors.New("deltafifo: no items to replace the contents with")
)

// A TransformError says that the transform of an object failed, so that what
// was known of the key before stays. It holds no object: its content may be
// secret. After a panic Err tells the panic's value and stack.
type TransformError struct {
	Key string
	Err error
}

func (e *TransformError) Error() string {
	return fmt.Sprintf("deltafifo: transforming %q: %v", e.Key, e.Err)
}

func (e *TransformError) Unwrap() error { return e.Err }

// ItemOnly tells a reflector that the error has cost this object and nothing
// else: to read everything again would not help.
func (e *TransformError) ItemOnly() bool { return true }
