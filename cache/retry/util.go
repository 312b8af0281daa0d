package retry

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// DefaultRetry is for conflicts with other clients that change the same object
// now and then.
var DefaultRetry = wait.Backoff{Steps: 5, Duration: 10 * time.Millisecond, Factor: 1, Jitter: 0.1}

// DefaultBackoff is for conflicts with controllers that change the object
// continuously.
var DefaultBackoff = wait.Backoff{Steps: 4, Duration: 10 * time.Millisecond, Factor: 5, Jitter: 0.1}

var (
	errNoFunction  = errors.New("retrying: the function is nil")
	errNoRetriable = errors.New("retrying: the function that recognizes retriable errors is nil")
)

// OnError calls fn until it returns nil or an error that is not retriable, at
// most backoff.Steps times. It returns the error of the last call. If
// backoff.Steps is not positive, fn is not called, and the error is that of
// wait.ExponentialBackoff.
func OnError(backoff wait.Backoff, retriable func(error) bool, fn func() error) error {
	switch {
	case fn == nil:
		return errNoFunction
	case retriable == nil:
		return errNoRetriable
	}
	var last error
	err := wait.ExponentialBackoff(backoff, func() (done bool, err error) {
		if last = fn(); last == nil || !retriable(last) {
			return true, last
		}
		return false, nil
	})
	if last != nil {
		return last
	}
	return err
}

// RetryOnConflict calls fn until it returns something other than a conflict. fn
// reads an object from the server, changes it and writes it; another client may
// write it in between.
func RetryOnConflict(backoff wait.Backoff, fn func() error) error {
	return OnError(backoff, apierrors.IsConflict, fn)
}
