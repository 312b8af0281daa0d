package controller

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TerminalError is err as an error that repeating does not mend: it is logged,
// and the key does not come again before something has changed. nil stays nil.
func TerminalError(err error) error {
	if err == nil {
		return nil
	}
	return &terminal{err}
}

type terminal struct{ error }

func (t *terminal) Unwrap() error { return t.error }

func isTerminal(err error) bool {
	var t *terminal
	return errors.As(err, &t)
}

// IgnoreNotFound is nil if err says that an object is not there, else err: for
// a delete of what may be gone already.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
