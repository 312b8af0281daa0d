package cache

import (
	"errors"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
)

// queueKey is the key of what may be written to a queue: an object, a tombstone,
// or what a queue has handed out.
func queueKey(keyFunc KeyFunc, obj any) (string, error) {
	if deltas, ok := obj.(Deltas); ok {
		newest := deltas.Newest()
		if newest == nil {
			return "", KeyError{Obj: obj, Err: ErrZeroLengthDeltasObject}
		}
		obj = newest.Object
	}
	if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
		return tombstone.Key, nil
	}
	return keyFunc(obj)
}

// asKeyError is the error of a key function, in the form in which client-go's
// users look for it.
func asKeyError(obj any, err error) error {
	if known := (KeyError{}); errors.As(err, &known) {
		return known
	}
	return KeyError{Obj: obj, Err: err}
}

// queueError is an error of the room beneath in the words of this one. obj is
// what was written.
func queueError(obj any, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, deltafifo.ErrClosed) {
		return ErrFIFOClosed
	}
	if beneath := (*indexer.KeyError)(nil); errors.As(err, &beneath) {
		return asKeyError(obj, beneath.Err)
	}
	return err
}
